# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils.bvhtree import BVHTree
from mathutils import Vector

terrain = bpy.data.objects.get("Terrain")
if terrain is None:
    raise ValueError("no object Terrain")
deps = bpy.context.evaluated_depsgraph_get()
bvh = BVHTree.FromObject(terrain, deps)
for obj in bpy.context.selected_objects:
    if obj == terrain:
        continue
    hit, normal, index, distance = bvh.ray_cast(obj.location + Vector((0, 0, 100)), Vector((0, 0, -1)))
    if hit is not None:
        obj.location.z = hit.z
        obj.rotation_euler = normal.to_track_quat('Z', 'Y').to_euler()
