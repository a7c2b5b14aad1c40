# expect: classes
class A:
    def __setattr__(self, n, v):
        pass
