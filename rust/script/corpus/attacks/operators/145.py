# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import bpy
[bpy.ops][0].wm.quit_blender()
