# expect: calls
f = type
