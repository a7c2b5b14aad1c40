# expect: attributes
delattr(1, '__doc__')
