# expect: exceptions
T = (ValueError, TypeError)
try:
    pass
except T:
    pass
