# expect: calls
delattr(1, 'a' + 'b')
