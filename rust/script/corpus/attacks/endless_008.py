# expect: loops
from itertools import cycle
for i in cycle([1]):
    x = i
