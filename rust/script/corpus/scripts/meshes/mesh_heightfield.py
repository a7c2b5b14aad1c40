# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import noise, Vector
size, step = 24, 0.25
verts = [(x * step, y * step, noise.noise(Vector((x, y, 0)) * 0.35)) for y in range(size) for x in range(size)]
faces = [(y * size + x, y * size + x + 1, (y + 1) * size + x + 1, (y + 1) * size + x) for y in range(size - 1) for x in range(size - 1)]
mesh = bpy.data.meshes.new("Terrain")
mesh.from_pydata(verts, [], faces)
mesh.validate(verbose=False)
mesh.update(calc_edges=True)
obj = bpy.data.objects.new("Terrain", mesh)
bpy.context.collection.objects.link(obj)
bpy.context.view_layer.objects.active = obj
obj.select_set(True)
vg = obj.vertex_groups.new(name="High")
for v in mesh.vertices:
    if v.co.z > 0.1:
        vg.add([v.index], min(1.0, v.co.z), "REPLACE")
print(len(mesh.vertices), len(mesh.polygons), len(vg.name))
