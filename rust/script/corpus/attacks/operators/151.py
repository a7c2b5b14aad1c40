# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
import bpy
bpy.ops.wm.path_open(filepath="/etc")
