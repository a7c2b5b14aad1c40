# expect: names
def type(x):
    pass
