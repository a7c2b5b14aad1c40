# expect: formats
x = ['{0.__class__}']
x[0].format(1)
