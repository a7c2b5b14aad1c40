# expect: scan
x = 1 # ‮ evil
