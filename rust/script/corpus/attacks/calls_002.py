# expect: calls
n = 'x'.upper()
getattr(1, n)
