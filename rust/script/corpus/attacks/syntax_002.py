# expect: parse
print 'hello'
