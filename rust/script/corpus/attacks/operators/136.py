# SPDX-License-Identifier: GPL-3.0-or-later
# expect: operators
import bpy as b
b.ops.wm.quit_blender()
