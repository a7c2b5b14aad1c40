# SPDX-License-Identifier: GPL-3.0-or-later
class A:
    def __enter__(self): return self
    def __exit__(self, *a): return True
with A():
    1 / 0
