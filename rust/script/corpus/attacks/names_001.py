# expect: names
eval('1')
