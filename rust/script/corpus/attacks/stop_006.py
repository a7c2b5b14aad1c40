# expect: exceptions
def f():
    return Exception
try:
    pass
except f():
    pass
