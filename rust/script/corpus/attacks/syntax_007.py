# expect: parse
try:
    pass
except ValueError, TypeError:
    pass
