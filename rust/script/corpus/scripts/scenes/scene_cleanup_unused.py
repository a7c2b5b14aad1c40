# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

bpy.ops.object.select_all(action='DESELECT')
bpy.data.objects['Cube'].select_set(True)
bpy.ops.object.delete()
for mesh in list(bpy.data.meshes):
    if mesh.users == 0:
        bpy.data.meshes.remove(mesh)
for block in [b for b in bpy.data.materials if not b.users]:
    bpy.data.materials.remove(block)
print(len(bpy.data.meshes), len(bpy.data.materials))
