# expect: attributes
try:
    None.x
except AttributeError as e:
    print(e.obj)
