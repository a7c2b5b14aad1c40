# expect: formats
'%1000000000d' % 1
