# expect: bounds
(1, 2) * 10**9
