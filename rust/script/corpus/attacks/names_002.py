# expect: names
exec('x = 1')
