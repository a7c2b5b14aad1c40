# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

m = bpy.context.object.data
vs = m.vertices
bpy.ops.object.mode_set(mode="EDIT")
bpy.ops.mesh.delete(type="VERT")
bpy.ops.object.mode_set(mode="OBJECT")
print(len(vs))
