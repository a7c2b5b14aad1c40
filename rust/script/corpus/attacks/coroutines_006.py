# expect: statements
try:
    pass
except* ValueError:
    pass
