# expect: names
def f():
    global __builtins__
    __builtins__ = 1
