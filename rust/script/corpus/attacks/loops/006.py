# SPDX-License-Identifier: GPL-3.0-or-later
# expect: loops
x = [1]
for y in x:
    x.append(y)
