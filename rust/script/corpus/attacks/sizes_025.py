# expect: bounds
'x'.center(10**10)
