# expect: attributes
x = [1]
x.__reduce_ex__(4)
