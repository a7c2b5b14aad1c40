# SPDX-License-Identifier: GPL-3.0-or-later
a = 7
for i in range(100):
    a = a * a
