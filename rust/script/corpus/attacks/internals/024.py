# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
class A:
    def __getattr__(self, n):
        return n
print(A().anything)
