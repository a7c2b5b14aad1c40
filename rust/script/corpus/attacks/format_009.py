# expect: formats
'{:>9999999999}'.format(1)
