# expect: calls
map(getattr, [1], ['x'])
