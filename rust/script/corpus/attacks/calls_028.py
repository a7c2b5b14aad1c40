# expect: attributes
getattr(1, '__class__')
