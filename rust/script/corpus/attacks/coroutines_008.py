# expect: statements
def f[T](x: T):
    return x
