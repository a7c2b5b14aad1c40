# expect: scan
еval('1')
