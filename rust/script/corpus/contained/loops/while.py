# SPDX-License-Identifier: GPL-3.0-or-later
x = 1
while x:
    x += 1
