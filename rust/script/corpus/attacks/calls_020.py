# expect: calls
with open_thing() as f:
    pass
def open_thing():
    return 1
