# expect: scan
d = {}
x = f'{'\n'.join(d)}'
