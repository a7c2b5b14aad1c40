# expect: attributes
def g():
    yield
x = g()
x.gi_code
