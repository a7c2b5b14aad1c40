# SPDX-License-Identifier: GPL-3.0-or-later
class A:
    def __repr__(self):
        return repr(self)


repr(A())
