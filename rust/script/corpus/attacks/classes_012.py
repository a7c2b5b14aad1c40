# expect: classes
class A:
    def __instancecheck__(self, o):
        return True
