# expect: names
input()
