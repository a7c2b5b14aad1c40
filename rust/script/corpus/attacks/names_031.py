# expect: names
eval = 3
