# SPDX-License-Identifier: GPL-3.0-or-later
l = [1]
for i in range(100):
    l.extend(l)
