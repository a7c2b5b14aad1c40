# expect: bounds
b'x' * (1 << 40)
