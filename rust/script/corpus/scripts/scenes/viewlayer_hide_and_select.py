# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

bpy.ops.object.select_all(action='DESELECT')
for o in bpy.context.view_layer.objects:
    if o.type in {'MESH', 'CURVE'}:
        o.select_set(True)
    else:
        o.hide_set(True)
        o.hide_render = True
bpy.context.view_layer.objects.active = next(iter(bpy.context.selected_objects), None)
print(bpy.context.active_object.name if bpy.context.active_object else "-")
