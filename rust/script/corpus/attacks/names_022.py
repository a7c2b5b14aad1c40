# expect: names
map(eval, ['1'])
