# expect: names
import math
math = 3
