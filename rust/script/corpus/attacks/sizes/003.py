# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
x = 3
x ** (10**6)
