# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
names = sorted((o.name for o in bpy.data.objects), key=str.lower, reverse=True)
for i, o in enumerate(sorted(bpy.context.scene.objects, key=lambda o: (o.type != "MESH", o.name))):
    o.select_set(i == 0)
    o.hide_set(False)
    o.pass_index = i
    o.color = (i / 3, 0, 0, 1)
    o.show_name = o.show_in_front = i == 0
    o.show_bounds = bool(i)
bpy.context.view_layer.objects.active = bpy.data.objects[names[-1]]
print(names, [o.name for o in bpy.context.selected_objects], bpy.context.object.name)
bpy.data.objects["Cube"].name = "Hero"
bpy.data.objects["Hero"].data.name = "HeroMesh"
print("Hero" in bpy.data.objects, bpy.data.meshes.find("HeroMesh") >= 0, bpy.data.objects.get("Cube"))
