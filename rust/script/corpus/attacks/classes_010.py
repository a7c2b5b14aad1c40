# expect: classes
class A:
    def __format__(self, s):
        return s
