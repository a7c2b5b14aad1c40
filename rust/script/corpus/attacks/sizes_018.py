# expect: bounds
[i for i in range(10**5) for j in range(10**5)]
