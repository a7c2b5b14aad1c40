# expect: classes
class A(dict):
    pass
