# expect: formats
'%.*f' % (10**9, 1.0)
