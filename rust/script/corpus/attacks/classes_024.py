# expect: classes
x = int
class A(x):
    pass
