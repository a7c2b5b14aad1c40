# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
N = 1000
M = N ** 3
x = [None] * M
