# expect: scan
if 1:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
elif 2:
    pass
