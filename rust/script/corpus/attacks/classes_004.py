# expect: classes
class A:
    def __getattr__(self, n):
        return n
