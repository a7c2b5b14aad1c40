# expect: bounds
N = 10**9
'x' * N
