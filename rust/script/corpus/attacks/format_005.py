# expect: formats
f = '{}'.format
f(1)
