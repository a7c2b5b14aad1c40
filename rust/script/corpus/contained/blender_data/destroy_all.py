# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

for c in (bpy.data.meshes, bpy.data.objects, bpy.data.materials, bpy.data.worlds, bpy.data.scenes):
    for b in list(c):
        try:
            c.remove(b)
        except Exception:
            pass
