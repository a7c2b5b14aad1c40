# expect: names
__import__('os')
