# expect: loops
while 2.5:
    pass
