# expect: names
vars()
