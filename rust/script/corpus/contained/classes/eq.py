# SPDX-License-Identifier: GPL-3.0-or-later
class A:
    def __eq__(self, o):
        while o is not None:
            pass
        return True


print(A() == 1)
