# SPDX-License-Identifier: GPL-3.0-or-later
# expect: classes
class D:
    def __get__(self, o, t):
        return t
class A:
    d = D()
print(A().d)
