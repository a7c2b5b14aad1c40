# expect: formats
w = '>' + '9' * 10
format(1, w)
