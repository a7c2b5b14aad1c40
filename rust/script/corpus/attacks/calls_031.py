# expect: attributes
setattr(1, '__class__', 2)
