# expect: parse
def f(:
    pass
