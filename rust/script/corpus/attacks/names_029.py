# expect: names
lambda x=open: x('y')
