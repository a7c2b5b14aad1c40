# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class A:
    def m(self):
        pass
A().m.__func__.__globals__
