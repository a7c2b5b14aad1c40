# expect: formats
f'{1:>1000000000}'
