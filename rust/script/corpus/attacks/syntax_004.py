# expect: parse
x = [1, 2
