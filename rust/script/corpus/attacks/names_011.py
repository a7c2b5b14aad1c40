# expect: names
exit()
