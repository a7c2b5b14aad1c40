# expect: bounds
x = 2
x **= 10**6
