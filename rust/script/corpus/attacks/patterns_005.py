# expect: attributes
match 1:
    case {'x': object(tb_frame=g)}:
        pass
