# SPDX-License-Identifier: GPL-3.0-or-later
x = []
for i in range(28):
    x = [x, x]
print(x)
