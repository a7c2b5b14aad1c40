# SPDX-License-Identifier: GPL-3.0-or-later
# expect: formats
class A(str):
    pass
print(A("{0.__class__}").format(3))
