# expect: attributes
def f():
    return f.__builtins__
f()
