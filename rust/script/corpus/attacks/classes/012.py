# SPDX-License-Identifier: GPL-3.0-or-later
# expect: classes
class A:
    def __setattr__(self, n, v):
        pass
