# expect: bounds
10**9 * 'x'
