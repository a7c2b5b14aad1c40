# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class A:
    def f(self): pass
A().f.__func__.__globals__
