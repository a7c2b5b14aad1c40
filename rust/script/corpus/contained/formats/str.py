# SPDX-License-Identifier: GPL-3.0-or-later
s = "a"
while len(s) >= 0:
    s += s
