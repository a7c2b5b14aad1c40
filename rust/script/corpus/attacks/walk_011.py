# expect: attributes
import math
x = math.sin
x.__self__.__loader__
