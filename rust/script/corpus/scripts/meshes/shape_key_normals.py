# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

cube = bpy.data.objects["Cube"]
cube.shape_key_add(name="Basis")
key = cube.shape_key_add(name="Taper")
for point in key.data:
    if point.co.z > 0:
        point.co.x *= 0.5
        point.co.y *= 0.5
normals = key.normals_vertex_get()
faces = key.normals_polygon_get()
print(len(normals) // 3, "vertices,", len(faces) // 3, "faces")
key.value = 1.0 if len(normals) == 3 * len(cube.data.vertices) else 0.0
