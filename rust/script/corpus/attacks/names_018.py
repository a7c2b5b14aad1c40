# expect: names
__file__
