# expect: bounds
'x'.ljust(10**9)
