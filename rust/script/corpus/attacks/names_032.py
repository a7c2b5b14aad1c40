# expect: names
def open():
    pass
