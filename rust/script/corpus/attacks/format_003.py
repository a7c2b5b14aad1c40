# expect: formats
x = '{0.__class__.__base__}'
x.format(1)
