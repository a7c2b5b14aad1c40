# expect: bounds
[0] * 10**9
