# expect: attributes
f = lambda f: f.f_builtins
f(1)
