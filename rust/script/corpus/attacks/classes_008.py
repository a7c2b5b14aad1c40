# expect: classes
class A:
    def __init_subclass__(cls):
        pass
