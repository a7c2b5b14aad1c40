# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
import bpy
bpy.ops.wm.obj_export(filepath="/tmp/sx_pwned.obj")
