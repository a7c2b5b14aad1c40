# SPDX-License-Identifier: GPL-3.0-or-later
# expect: classes
class A:
    def __class_getitem__(cls, i):
        return i
print(A[1])
