# SPDX-License-Identifier: GPL-3.0-or-later
def f(n):
    return f(n + 1) + f(n + 2)


f(0)
