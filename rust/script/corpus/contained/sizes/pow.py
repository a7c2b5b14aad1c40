# SPDX-License-Identifier: GPL-3.0-or-later
n = 10
for _ in range(9):
    n = n**n
