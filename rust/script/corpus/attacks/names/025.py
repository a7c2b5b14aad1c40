# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
def f(g=eval):
    return g('1')
