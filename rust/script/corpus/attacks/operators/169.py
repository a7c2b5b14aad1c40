# SPDX-License-Identifier: GPL-3.0-or-later
# expect: operators
import bpy
w = "blender"
getattr(bpy.ops.wm, f"quit_{w}")()
