# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
import bpy
bpy.ops.wm.open_mainfile(filepath="/tmp/x.blend")
