# expect: classes
class A(metaclass=int):
    pass
