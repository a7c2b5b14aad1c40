# expect: classes
class A(int):
    pass
