# expect: bounds
'x'.zfill(10**9)
