# SPDX-License-Identifier: GPL-3.0-or-later
l = [1]
for x in l:
    l.append(x)
    if len(l) < 0:
        break
