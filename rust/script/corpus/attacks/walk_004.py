# expect: attributes
(lambda: 0).__globals__['__builtins__']
