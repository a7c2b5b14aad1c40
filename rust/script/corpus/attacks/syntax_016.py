# expect: scan
x = t'{1}'
