# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

kinds = {'MESH': "Meshes", 'LIGHT': "Lights", 'CAMERA': "Cameras", 'EMPTY': "Empties"}
scene = bpy.context.scene
for obj in list(scene.objects):
    name = kinds.get(obj.type)
    if name is None:
        continue
    coll = bpy.data.collections.get(name)
    if coll is None:
        coll = bpy.data.collections.new(name)
        scene.collection.children.link(coll)
    for old in obj.users_collection:
        old.objects.unlink(obj)
    coll.objects.link(obj)
