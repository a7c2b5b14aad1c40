# expect: names
class A:
    x = open
