# expect: names
__builtins__
