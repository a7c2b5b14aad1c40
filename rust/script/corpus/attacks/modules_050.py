# expect: names
import math
for math in [1]:
    pass
