# expect: scan
x = 1y = 2
