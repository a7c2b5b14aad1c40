# expect: names
compile('1', 'x', 'eval')
