# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
try:
    bpy.ops.object.modifier_apply(modifier="Nope")
except RuntimeError as error:
    print("failed", "Nope" in str(error) or True)
if bpy.ops.mesh.subdivide.poll():
    bpy.ops.mesh.subdivide()
else:
    print("no poll")
result = bpy.ops.mesh.primitive_cone_add(vertices=5)
print(result == {"FINISHED"}, "FINISHED" in result, len(bpy.context.object.data.vertices))
