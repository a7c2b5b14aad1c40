# expect: bounds
sum(range(10**10))
