# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

deps = bpy.context.evaluated_depsgraph_get()
for obj in bpy.data.objects:
    if obj.type == 'MESH':
        ev = obj.evaluated_get(deps)
        me = ev.to_mesh()
        print(f"{obj.name:<20} {len(me.vertices):>8} {len(me.polygons):>8}")
        ev.to_mesh_clear()
