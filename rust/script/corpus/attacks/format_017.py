# expect: formats
('%' + '9' * 9 + 'd') % (1,)
