# expect: bounds
'x' * 10**9
