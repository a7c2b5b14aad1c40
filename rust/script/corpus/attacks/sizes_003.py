# expect: bounds
x = 3
x ** (10**6)
