# expect: scan
x = f'{
1}'
