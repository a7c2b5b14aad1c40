# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

bpy.ops.curve.primitive_bezier_circle_add(radius=4)
path = bpy.context.object
path.name = "Path"
bpy.ops.mesh.primitive_cube_add(size=0.5)
link = bpy.context.object
arr = link.modifiers.new("Array", 'ARRAY')
arr.fit_type = 'FIT_CURVE'
arr.curve = path
arr.use_relative_offset = True
arr.relative_offset_displace[0] = 1.2
cur = link.modifiers.new("Curve", 'CURVE')
cur.object = path
cur.deform_axis = 'POS_X'
bpy.context.view_layer.update()
dg = bpy.context.evaluated_depsgraph_get()
ev = link.evaluated_get(dg)
me = ev.to_mesh()
print(len(me.vertices) % 8 == 0)
ev.to_mesh_clear()
