# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
list(range(0, 10**9))
