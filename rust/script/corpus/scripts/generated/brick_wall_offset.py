# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import Vector
def bricks(rows, cols, size=Vector((1.0, 0.5, 0.4)), gap=0.05):
    for r in range(rows):
        offset = (size.x + gap) / 2 if r % 2 else 0.0
        yield from ((r, c, Vector((c * (size.x + gap) + offset, 0, r * (size.z + gap)))) for c in range(cols))
mesh = None
for r, c, pos in bricks(4, 5):
    if mesh is None:
        bpy.ops.mesh.primitive_cube_add(size=1)
        first = bpy.context.object
        mesh = first.data
        mesh.name = "Brick"
        ob = first
    else:
        ob = bpy.data.objects.new("Brick", mesh)
        bpy.context.collection.objects.link(ob)
    ob.location, ob.scale = pos, (1.0, 0.5, 0.4)
    ob["row"], ob["col"] = r, c
print(mesh.users, sum(o.get("row", -1) == 3 for o in bpy.data.objects))
