# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class A:
    mro = None
print(ValueError.mro())
