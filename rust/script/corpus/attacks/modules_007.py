# expect: modules
import math
math.pi = 3
