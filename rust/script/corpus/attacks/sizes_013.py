# expect: bounds
N = 1000
M = N ** 3
x = [None] * M
