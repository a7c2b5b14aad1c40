# expect: formats
f'%{9}d' % 1
