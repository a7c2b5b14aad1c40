# expect: classes
class A:
    def __get__(self, o, t):
        return 1
