# SPDX-License-Identifier: GPL-3.0-or-later
# expect: operators
import bpy
for g in (bpy.ops.wm, bpy.ops.text):
    pass
