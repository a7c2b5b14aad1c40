# expect: names
__loader__
