# expect: scan
d = {}
x = f'{f'{d['a']}'}'
