# expect: names
with 1 as open:
    pass
