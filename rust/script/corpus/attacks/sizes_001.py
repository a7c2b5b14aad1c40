# expect: bounds
10 ** 10 ** 10
