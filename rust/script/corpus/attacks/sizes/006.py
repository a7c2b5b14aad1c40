# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
x = 2
x **= 10**6
