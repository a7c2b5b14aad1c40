# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
from contextlib import contextmanager
@contextmanager
def c():
    try:
        yield 1
    finally:
        bpy.ops.mesh.primitive_cube_add()
with c():
    for i in range(10**6):
        for j in range(10**6): pass
