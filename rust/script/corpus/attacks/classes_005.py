# expect: classes
class A:
    def __getattribute__(self, n):
        return n
