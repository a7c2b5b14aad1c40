# SPDX-License-Identifier: GPL-3.0-or-later
class A:
    def __repr__(self):
        x = 1
        while x:
            x += 1
        return ""


print(A())
