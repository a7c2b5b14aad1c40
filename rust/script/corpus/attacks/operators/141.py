# SPDX-License-Identifier: GPL-3.0-or-later
# expect: operators
import bpy
getattr(bpy.ops.wm, 'quit_blender')()
