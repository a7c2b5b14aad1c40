# SPDX-License-Identifier: GPL-3.0-or-later
n = 7
for i in range(25):
    n = n * n
print(n)
