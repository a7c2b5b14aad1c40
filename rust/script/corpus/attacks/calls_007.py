# expect: calls
def f(n):
    return getattr(1, n)
