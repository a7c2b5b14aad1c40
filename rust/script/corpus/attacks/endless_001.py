# expect: loops
while True:
    pass
