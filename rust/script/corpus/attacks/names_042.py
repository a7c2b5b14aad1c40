# expect: names
class A:
    __getattr__ = print
