# expect: names
try:
    pass
except Exception as exec:
    pass
