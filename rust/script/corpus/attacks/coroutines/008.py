# SPDX-License-Identifier: GPL-3.0-or-later
# expect: statements
def f[T](x: T):
    return x
