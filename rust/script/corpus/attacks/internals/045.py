# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class A: pass
a = A()
a.__dict__ |= {"x": 1}
