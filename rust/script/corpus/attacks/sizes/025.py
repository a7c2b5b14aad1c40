# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
'x'.center(10**10)
