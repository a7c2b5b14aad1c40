# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
def f():
    pass
f.__code__ = (lambda: 1).__code__
