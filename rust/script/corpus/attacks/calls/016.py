# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
class A:
    def f(self):
        return super(Exception, self).f()
