# expect: classes
class A:
    def __new__(cls):
        return 1
