# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class A:
    pass
a = A()
a.__init_subclass__()
