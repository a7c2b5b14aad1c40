# expect: attributes
[].__class__.__base__.__subclasses__()[0]
