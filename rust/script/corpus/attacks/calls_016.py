# expect: calls
[type][0]
