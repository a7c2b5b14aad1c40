# expect: loops
while True:
    try:
        x = 1
    except Exception:
        continue
