# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
x = 1
x <<= 10**9
