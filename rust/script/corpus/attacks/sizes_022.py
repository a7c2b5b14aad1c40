# expect: bounds
bytes(10**10)
