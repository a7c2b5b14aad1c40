# expect: names
match 1:
    case __builtins__:
        pass
