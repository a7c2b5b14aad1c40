# expect: calls
for n in ['a', 'b' + 'c']:
    getattr(1, n)
