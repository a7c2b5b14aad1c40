# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

for obj in bpy.context.selected_objects:
    if obj.type != 'MESH':
        continue
    bpy.context.view_layer.objects.active = obj
    for mod in list(obj.modifiers):
        try:
            bpy.ops.object.modifier_apply(modifier=mod.name)
        except RuntimeError as error:
            print("could not apply", mod.name, error)
