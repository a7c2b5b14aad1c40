# expect: classes
class A(str):
    pass
