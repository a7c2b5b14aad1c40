# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class A:
    pass
print(A.__dict__, A.__weakref__)
