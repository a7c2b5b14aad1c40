# expect: exceptions
def f():
    try:
        pass
    finally:
        for x in [1]:
            return x
