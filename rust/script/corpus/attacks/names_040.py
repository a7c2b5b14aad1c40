# expect: names
class A:
    __match_args__ = ('gi_frame',)
