# expect: scan
aª = 1
