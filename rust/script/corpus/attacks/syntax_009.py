# expect: parse
class A
    pass
