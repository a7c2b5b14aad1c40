# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
n = 1 << 40
1 << n
