# expect: attributes
x = 1
x.__class__ = int
