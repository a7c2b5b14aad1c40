# expect: scan
x = f'{1 # comment
}'
