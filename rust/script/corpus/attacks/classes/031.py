# SPDX-License-Identifier: GPL-3.0-or-later
# expect: classes
class A:
    @classmethod
    def __prepare__(cls, n, b): return {}
