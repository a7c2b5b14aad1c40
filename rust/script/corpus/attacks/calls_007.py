# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
def f(n):
    return getattr(1, n)
