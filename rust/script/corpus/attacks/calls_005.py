# expect: calls
getattr(*[1, 'x'])
