# expect: calls
s = super
