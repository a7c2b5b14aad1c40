# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class A:
    filepath = 1
    def f(self):
        return self.filepath
