# expect: attributes
''.__class__.__mro__[1]
