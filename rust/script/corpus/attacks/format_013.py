# expect: formats
n = len('abc') * 10**8
f'{1:{n}}'
