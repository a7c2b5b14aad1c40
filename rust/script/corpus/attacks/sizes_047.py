# expect: bounds
x = [[0] * 10**5] * 10**9
