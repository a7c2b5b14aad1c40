# expect: calls
dict(__class__=1)
