# expect: attributes
def f():
    pass
f.__code__ = (lambda: 1).__code__
