# expect: exceptions
def f():
    try:
        pass
    finally:
        return 1
