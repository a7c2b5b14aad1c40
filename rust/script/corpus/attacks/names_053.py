# expect: names
def f(__class__):
    pass
