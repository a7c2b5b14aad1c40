# expect: loops
while 1:
    x = 1
