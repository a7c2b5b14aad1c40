# SPDX-License-Identifier: GPL-3.0-or-later
# expect: calls
import bpy
bpy.ops.image.save_as(filepath="/tmp/sx_pwned.png")
