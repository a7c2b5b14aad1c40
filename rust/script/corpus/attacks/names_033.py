# expect: names
class exec:
    pass
