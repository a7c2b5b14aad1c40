# expect: calls
f = getattr
