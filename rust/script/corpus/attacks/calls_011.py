# expect: calls
x = type(1)
