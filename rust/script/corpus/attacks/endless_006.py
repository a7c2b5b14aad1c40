# expect: loops
x = [1]
for y in x:
    x.append(y)
