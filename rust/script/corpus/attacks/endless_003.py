# expect: loops
while 'a':
    x = 1
