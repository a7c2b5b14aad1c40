# expect: names
from math import sin
sin = 3
