# expect: classes
class A(type):
    pass
