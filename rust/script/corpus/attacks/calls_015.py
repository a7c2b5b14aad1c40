# expect: calls
list(map(type, [1]))
