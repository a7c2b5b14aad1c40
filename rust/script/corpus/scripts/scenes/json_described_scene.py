# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import json

SPEC = """
{"objects": [
  {"type": "cube", "name": "A", "loc": [0, 0, 0], "size": 1},
  {"type": "sphere", "name": "B", "loc": [3, 0, 0], "radius": 0.8},
  {"type": "torus", "name": "C", "loc": [6, 0, 0]}
]}
"""
def cube(d): bpy.ops.mesh.primitive_cube_add(size=d.get("size", 2), location=d["loc"])
def sphere(d): bpy.ops.mesh.primitive_uv_sphere_add(radius=d.get("radius", 1), segments=24, ring_count=12, location=d["loc"])
def torus(d): bpy.ops.mesh.primitive_torus_add(major_radius=1, minor_radius=0.25, location=d["loc"])
builders = {"cube": cube, "sphere": sphere, "torus": torus}
for d in json.loads(SPEC)["objects"]:
    builders[d["type"]](d)
    bpy.context.object.name = d["name"]
print(json.dumps({o.name: [round(c, 2) for c in o.location] for o in bpy.data.objects if len(o.name) == 1}, sort_keys=True))
