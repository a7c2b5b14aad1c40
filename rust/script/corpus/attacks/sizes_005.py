# expect: bounds
x = 1
x <<= 10**9
