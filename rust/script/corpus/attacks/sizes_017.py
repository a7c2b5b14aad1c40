# expect: bounds
N = 10**10
for i in range(N):
    pass
