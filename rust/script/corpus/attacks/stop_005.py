# expect: exceptions
E = Exception
try:
    pass
except E:
    pass
