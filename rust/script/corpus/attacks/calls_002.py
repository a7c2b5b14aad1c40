# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
n = 'x'.upper()
getattr(1, n)
