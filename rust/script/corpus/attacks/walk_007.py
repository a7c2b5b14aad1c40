# expect: attributes
def f():
    pass
print(f.__defaults__, f.__closure__)
