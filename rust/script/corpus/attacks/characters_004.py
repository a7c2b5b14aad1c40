# expect: scan
ｅval('1')
