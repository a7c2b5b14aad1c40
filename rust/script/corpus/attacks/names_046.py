# expect: names
try:
    pass
except BaseException:
    pass
