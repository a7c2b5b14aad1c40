# expect: statements
class A[T]:
    pass
