# expect: parse
Make a cube, please.
