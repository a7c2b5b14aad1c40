# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
x = [[0] * 10**5] * 10**9
