# expect: bounds
bytearray(10**10)
