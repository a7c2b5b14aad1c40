# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
class S:
    def __enter__(self): return self
    def __exit__(self, *a):
        for i in range(10**6):
            for j in range(10**6): pass
        return True
with S():
    1 / 0
