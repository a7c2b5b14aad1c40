# expect: names
def f(**open):
    pass
