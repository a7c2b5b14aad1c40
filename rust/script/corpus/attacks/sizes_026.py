# expect: bounds
'x'.rjust(10**9, 'y')
