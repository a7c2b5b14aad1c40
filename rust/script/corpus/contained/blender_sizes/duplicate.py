# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

for i in range(60):
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.duplicate()
