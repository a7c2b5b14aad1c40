# expect: formats
'{:{}}'.format(1, 10**9)
