# expect: scan
def а(): pass
