# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class A: pass
c = A().__class__
print(c)
