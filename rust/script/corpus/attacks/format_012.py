# expect: formats
w = 10**9
f'{1:>{w}}'
