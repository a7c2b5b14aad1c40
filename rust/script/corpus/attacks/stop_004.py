# expect: exceptions
while 1 < 2:
    try:
        pass
    finally:
        break
