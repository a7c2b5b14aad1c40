# expect: scan
_＿ = 1
