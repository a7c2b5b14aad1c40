# expect: attributes
class A:
    pass
print(A.__dict__, A.__weakref__)
