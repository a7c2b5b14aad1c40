# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
import bpy
bpy.ops.wm.save_as_mainfile(filepath="/tmp/sx_pwned.blend")
