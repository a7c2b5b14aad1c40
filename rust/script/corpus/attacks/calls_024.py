# expect: calls
for n in dir(1):
    getattr(1, n)
