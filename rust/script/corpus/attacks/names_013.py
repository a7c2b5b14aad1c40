# expect: names
memoryview(b'x')
