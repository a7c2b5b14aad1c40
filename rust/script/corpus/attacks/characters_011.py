# expect: scan
x = '⁦'
