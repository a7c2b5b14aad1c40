# expect: attributes
[f.f_back for f in []]
