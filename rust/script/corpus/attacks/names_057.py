# expect: names
def f(*eval):
    pass
