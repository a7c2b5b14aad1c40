# expect: names
help()
