# expect: formats
'%*d' % (10**9, 1)
