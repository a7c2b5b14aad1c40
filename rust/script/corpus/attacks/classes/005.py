# SPDX-License-Identifier: GPL-3.0-or-later
# expect: classes
class A:
    def __get__(self, o, t):
        return 1
