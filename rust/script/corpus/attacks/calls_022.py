# expect: calls
f = setattr
f(1, 'x', 2)
