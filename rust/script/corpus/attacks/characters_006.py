# expect: scan
print(1)print(2)
