# expect: names
match 1:
    case eval:
        pass
