# SPDX-License-Identifier: GPL-3.0-or-later
# expect: operators
import bpy
for n in dir(bpy.ops.wm):
    getattr(bpy.ops.wm, n)()
