# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

objs = [o for o in bpy.context.scene.objects if o.type == 'MESH' and o.name.startswith("Part")]
if objs:
    for o in objs:
        o.select_set(True)
    bpy.context.view_layer.objects.active = objs[0]
    bpy.ops.object.join()
    bpy.ops.object.origin_set(type='ORIGIN_GEOMETRY', center='BOUNDS')
    bpy.ops.object.transform_apply(location=False, rotation=True, scale=True)
    bpy.ops.object.shade_smooth()
