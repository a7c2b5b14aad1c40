# SPDX-License-Identifier: GPL-3.0-or-later
# expect: classes
class A:
    def __init_subclass__(cls):
        print(1)
class B(A):
    pass
