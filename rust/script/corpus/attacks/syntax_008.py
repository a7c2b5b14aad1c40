# expect: parse
   x = 1
  y = 2
