# expect: names
f = [__import__][0]
