# expect: attributes
match 1:
    case object(gi_frame=c):
        print(c)
