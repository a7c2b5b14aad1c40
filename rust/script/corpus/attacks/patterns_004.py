# expect: attributes
match 1:
    case [object(f_globals=g), *_]:
        pass
