# expect: names
m = __import__
m('os')
