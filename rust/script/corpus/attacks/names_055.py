# expect: names
getattr = 3
