# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class A:
    def f(self):
        return super().__getattribute__("__class__")
A().f()
