# SPDX-License-Identifier: GPL-3.0-or-later
# expect: classes
class A(tuple):
    pass
