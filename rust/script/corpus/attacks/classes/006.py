# SPDX-License-Identifier: GPL-3.0-or-later
# expect: classes
class A:
    def __set_name__(self, o, n):
        pass
