# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import math
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, 60
cubes = []
for i in range(6):
    bpy.ops.mesh.primitive_cube_add(size=0.6, location=(i - 2.5, 0, 0))
    cubes.append(bpy.context.object)
for i, cube in enumerate(cubes):
    for frame in range(1, 61, 10):
        cube.location.z = math.sin(frame / 60 * math.tau + i)
        cube.keyframe_insert(data_path="location", index=2, frame=frame)
        cube.scale = (1, 1, 1 + 0.2 * (frame % 20 == 1))
        cube.keyframe_insert("scale", frame=frame, group="Size")
scene.frame_set(30)
print(round(cubes[0].location.z, 4))
