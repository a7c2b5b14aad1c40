# expect: parse
x = = 1
