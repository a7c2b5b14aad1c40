# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
PRIMS = {
    "box": (bpy.ops.mesh.primitive_cube_add, {"size": 1.0}),
    "ball": (bpy.ops.mesh.primitive_uv_sphere_add, {"radius": 0.5, "segments": 16, "ring_count": 8}),
    "pipe": (bpy.ops.mesh.primitive_cylinder_add, {"radius": 0.3, "depth": 2.0}),
}
def add(kind, loc):
    fn, kwargs = PRIMS[kind]
    fn(location=loc, **kwargs)
    ob = bpy.context.active_object
    ob.name = kind
    return ob
LAYOUT = """
box  0 0 0
ball 2 0 0
pipe 4 0 1
# a comment
ball 6 0 0.5
"""
for line in LAYOUT.strip().splitlines():
    line = line.partition("#")[0].strip()
    if not line:
        continue
    kind, *xyz = line.split()
    add(kind, tuple(float(v) for v in xyz))
