# expect: formats
'{a.b}'.format(a=1)
