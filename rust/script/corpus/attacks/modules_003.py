# expect: modules
import math
[math][0].sin(1)
