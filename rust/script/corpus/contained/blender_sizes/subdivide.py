# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

bpy.ops.object.mode_set(mode="EDIT")
for i in range(12):
    bpy.ops.mesh.subdivide(number_cuts=5)
