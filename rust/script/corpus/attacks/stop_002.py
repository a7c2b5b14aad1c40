# expect: exceptions
for i in range(9):
    try:
        pass
    finally:
        continue
