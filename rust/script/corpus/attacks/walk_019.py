# expect: attributes
del (lambda: 0).__doc__
