# expect: calls
k = dict(x=hasattr)
