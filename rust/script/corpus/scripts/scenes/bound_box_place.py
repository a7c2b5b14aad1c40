# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import Vector
cube = bpy.data.objects["Cube"]
cube.location.z = 3.3
bpy.context.view_layer.update()
corners = [cube.matrix_world @ Vector(c) for c in cube.bound_box]
lowest = min(c.z for c in corners)
cube.location.z -= lowest
bpy.context.view_layer.update()
size = Vector(map(max, zip(*corners))) - Vector(map(min, zip(*corners)))
print(round(cube.location.z, 3), [round(s, 2) for s in size], [round(d, 2) for d in cube.dimensions])
bpy.ops.mesh.primitive_monkey_add(size=1, location=cube.location + Vector((0, 0, size.z)))
bpy.context.object.parent = cube
bpy.context.object.matrix_parent_inverse = cube.matrix_world.inverted()
