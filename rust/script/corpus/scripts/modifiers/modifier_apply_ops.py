# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
obj = bpy.data.objects["Cube"]
bpy.context.view_layer.objects.active = obj
obj.select_set(True)
obj.modifiers.new("Solid", "SOLIDIFY").thickness = 0.1
obj.modifiers.new("Tri", "TRIANGULATE")
for name in [m.name for m in obj.modifiers]:
    bpy.ops.object.modifier_apply(modifier=name)
bpy.ops.object.transform_apply(location=False, rotation=True, scale=True)
print(len(obj.data.polygons), len(obj.modifiers))
