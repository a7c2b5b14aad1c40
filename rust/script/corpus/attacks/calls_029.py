# expect: attributes
n = '__class__'
getattr(1, n)
