# expect: exceptions
while 1 < 2:
    try:
        pass
    except:
        pass
