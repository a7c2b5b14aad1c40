# SPDX-License-Identifier: GPL-3.0-or-later
# expect: imports
import bpy.ops.wm as w
w.quit_blender()
