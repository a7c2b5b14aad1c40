# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class A:
    gi_frame = gi_code = None
def g(): yield 1
print(g().gi_frame)
