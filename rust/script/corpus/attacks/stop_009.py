# expect: exceptions
def f():
    try:
        pass
    finally:
        if 1:
            return 2
