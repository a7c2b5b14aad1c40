# SPDX-License-Identifier: GPL-3.0-or-later
class A:
    def __format__(self, s): return "9" * 9
print(f"{1:{A()}}")
