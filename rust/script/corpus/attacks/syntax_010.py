# expect: parse
x = 'abc
