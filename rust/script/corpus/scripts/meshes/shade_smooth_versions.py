# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import math

obj = bpy.data.objects["Cube"]
mesh = obj.data
mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
if hasattr(mesh, "use_auto_smooth"):
    mesh.use_auto_smooth = True
    mesh.auto_smooth_angle = math.radians(40)
else:
    mesh.set_sharp_from_angle(angle=math.radians(40))
if hasattr(mesh, "calc_normals"):
    mesh.calc_normals()
mesh.update()
print(sum(p.use_smooth for p in mesh.polygons))
