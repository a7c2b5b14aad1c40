# expect: attributes
print.__self__.eval('1')
