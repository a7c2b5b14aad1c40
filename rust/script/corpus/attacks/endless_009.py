# expect: loops
for i in iter(int, 1):
    pass
