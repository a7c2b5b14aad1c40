# expect: names
for eval in [1]:
    pass
