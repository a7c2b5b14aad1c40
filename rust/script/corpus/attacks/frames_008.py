# expect: attributes
def g():
    yield g
for x in g():
    x.gi_yieldfrom
