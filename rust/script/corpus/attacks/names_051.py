# expect: names
x = credits
