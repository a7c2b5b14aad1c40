# SPDX-License-Identifier: GPL-3.0-or-later
# expect: names
class A:
    __class__ = int
