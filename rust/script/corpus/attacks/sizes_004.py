# expect: bounds
1 << 10**9
