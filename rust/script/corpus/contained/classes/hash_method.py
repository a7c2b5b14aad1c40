# SPDX-License-Identifier: GPL-3.0-or-later
class A:
    def __hash__(self):
        x = 1
        while x:
            x += 1
        return 1


{A(): 1}
