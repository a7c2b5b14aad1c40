# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
def f(g: eval = 1):
    return g
