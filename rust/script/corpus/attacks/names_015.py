# expect: names
__builtins__['eval']
