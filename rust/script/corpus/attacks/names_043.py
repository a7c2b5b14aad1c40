# expect: names
[x for __builtins__ in [1]]
