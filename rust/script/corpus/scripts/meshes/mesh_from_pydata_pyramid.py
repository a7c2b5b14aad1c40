# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

verts = [(1, 1, 0), (1, -1, 0), (-1, -1, 0), (-1, 1, 0), (0, 0, 2)]
faces = [(0, 1, 2, 3), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]
mesh = bpy.data.meshes.new("Pyramid")
mesh.from_pydata(verts, [], faces)
mesh.update()
obj = bpy.data.objects.new("Pyramid", mesh)
bpy.context.collection.objects.link(obj)
bpy.context.view_layer.objects.active = obj
obj.select_set(True)
