# expect: names
import math
[math for math in [1]]
