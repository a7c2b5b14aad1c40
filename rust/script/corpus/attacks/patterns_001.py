# expect: attributes
match 1:
    case object(__class__=c):
        print(c)
