# expect: names
@eval
def f():
    pass
