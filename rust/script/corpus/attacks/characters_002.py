# expect: scan
x = '​'
