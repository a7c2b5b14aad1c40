# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
'x'.ljust(10**9)
