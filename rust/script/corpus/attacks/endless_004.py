# expect: loops
while True:
    for i in range(3):
        break
