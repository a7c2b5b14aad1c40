# expect: attributes
class A:
    pass
a = A()
a.__init_subclass__()
