# expect: attributes
def g():
    yield
x = g()
x.throw(ValueError)
