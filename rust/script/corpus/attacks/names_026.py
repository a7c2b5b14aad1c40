# expect: names
def f(g: eval = 1):
    return g
