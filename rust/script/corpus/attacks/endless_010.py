# expect: loops
while True:
    def f():
        return 1
