# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
s = "x" * 1000
bpy.context.object["p"] = s * 500000
