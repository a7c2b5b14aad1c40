# expect: classes
class A:
    def __del__(self):
        pass
