# expect: bounds
range(10**12)
