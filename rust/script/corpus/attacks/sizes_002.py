# expect: bounds
2 ** 100000
