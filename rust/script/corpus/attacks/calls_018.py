# expect: calls
class A:
    def f(self):
        return super(A, self).f()
