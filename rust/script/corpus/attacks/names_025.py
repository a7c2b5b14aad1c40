# expect: names
def f(g=eval):
    return g('1')
