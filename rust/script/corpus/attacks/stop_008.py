# expect: exceptions
try:
    pass
except (ValueError, type(1)):
    pass
