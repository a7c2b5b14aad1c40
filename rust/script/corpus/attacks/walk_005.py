# expect: attributes
(lambda: 0).__code__.replace(co_code=b'')
