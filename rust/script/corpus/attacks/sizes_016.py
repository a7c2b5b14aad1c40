# expect: bounds
list(range(0, 10**9))
