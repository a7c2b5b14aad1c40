# expect: names
(x := eval)('1')
