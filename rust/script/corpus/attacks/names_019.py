# expect: names
__doc__.x = 1
