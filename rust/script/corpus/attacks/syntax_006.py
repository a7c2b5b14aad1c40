# expect: parse
if True
    pass
