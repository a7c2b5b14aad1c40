# expect: names
__match_args__ = ('gi_frame',)
