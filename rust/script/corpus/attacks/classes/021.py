# SPDX-License-Identifier: GPL-3.0-or-later
# expect: classes
x = int
class A(x):
    pass
