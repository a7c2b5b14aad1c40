# SPDX-License-Identifier: GPL-3.0-or-later
# expect: classes
class A:
    def __del__(self): print("x")
A()
