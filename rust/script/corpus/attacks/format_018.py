# expect: formats
format(1, '>1000000000')
