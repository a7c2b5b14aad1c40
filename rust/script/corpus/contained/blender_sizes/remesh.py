# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

m = bpy.context.object.modifiers.new("r", "REMESH")
m.mode = "VOXEL"
v = 0.1
for i in range(4):
    v = v / 10
m.voxel_size = v
bpy.context.view_layer.update()
