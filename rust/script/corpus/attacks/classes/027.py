# SPDX-License-Identifier: GPL-3.0-or-later
# expect: classes
class D:
    def __set_name__(self, owner, name):
        owner.x = 1
class A:
    d = D()
