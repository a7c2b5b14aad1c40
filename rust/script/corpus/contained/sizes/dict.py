# SPDX-License-Identifier: GPL-3.0-or-later
d = {}
i = 0
while i >= 0:
    d[i] = "x" * 1000
    i += 1
