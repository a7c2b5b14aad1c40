# expect: calls
class A:
    pass
with A():
    pass
