# expect: bounds
pow(10, 10**8)
