# SPDX-License-Identifier: GPL-3.0-or-later
# expect: classes
class A(metaclass=lambda *a: print(a)):
    pass
