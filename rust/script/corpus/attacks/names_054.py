# expect: names
del eval
