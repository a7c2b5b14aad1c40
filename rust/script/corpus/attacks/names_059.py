# expect: names
def __build_class__():
    pass
