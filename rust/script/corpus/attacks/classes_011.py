# expect: classes
class A:
    def __index__(self):
        return 1
