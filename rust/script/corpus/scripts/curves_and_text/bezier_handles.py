# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
from mathutils import Vector
from mathutils.geometry import interpolate_bezier, intersect_line_line
cu = bpy.data.curves.new("Wire", "CURVE")
cu.dimensions = "3D"
cu.bevel_mode = 'ROUND'
cu.bevel_depth = 0.03
cu.use_fill_caps = True
sp = cu.splines.new("BEZIER")
pts = [(0, 0, 0), (1, 0, 2), (3, 1, 2), (4, 0, 0)]
sp.bezier_points.add(len(pts) - 1)
for i, co in enumerate(pts):
    p = sp.bezier_points[i]
    p.co = co
    p.handle_left_type = p.handle_right_type = 'FREE'
    p.handle_left = Vector(co) - Vector((0.5, 0, 0))
    p.handle_right = Vector(co) + Vector((0.5, 0, 0))
sp.use_cyclic_u = False
ob = bpy.data.objects.new("Wire", cu)
bpy.context.scene.collection.objects.link(ob)
samples = []
for a, b in zip(sp.bezier_points[:-1], sp.bezier_points[1:]):
    samples += interpolate_bezier(a.co, a.handle_right, b.handle_left, b.co, 12)
length = sum((q - p).length for p, q in zip(samples, samples[1:]))
print(f"approx length {length:.3f} vs {sp.calc_length():.3f}")
for i, s in enumerate(samples[::6]):
    bpy.ops.mesh.primitive_ico_sphere_add(radius=0.08, subdivisions=1, location=s)
    bpy.context.active_object["order"] = i
print(intersect_line_line((0, 0, 0), (1, 0, 0), (0.5, -1, 0), (0.5, 1, 0)))
