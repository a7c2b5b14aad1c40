# expect: names
f = eval
f('1')
