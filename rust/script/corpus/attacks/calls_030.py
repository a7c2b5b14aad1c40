# expect: attributes
for n in ('location', '__class__'):
    getattr(1, n)
