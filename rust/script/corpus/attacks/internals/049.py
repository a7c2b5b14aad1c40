# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class A:
    def f(self):
        return self.__class__.__mro__
print(A().f())
