# SPDX-License-Identifier: GPL-3.0-or-later
# expect: operators
import bpy
for n in ["quit_blender"]:
    getattr(bpy.ops.wm, n)()
