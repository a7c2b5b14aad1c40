# expect: parse
return = 1
