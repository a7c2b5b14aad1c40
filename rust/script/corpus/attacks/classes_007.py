# expect: classes
class A:
    def __set_name__(self, o, n):
        pass
