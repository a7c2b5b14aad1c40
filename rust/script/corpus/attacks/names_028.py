# expect: names
@exec
class A:
    pass
