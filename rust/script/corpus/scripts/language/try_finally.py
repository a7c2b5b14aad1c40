# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

scene = bpy.context.scene
old = scene.frame_current
heights = []
try:
    for f in range(scene.frame_start, min(scene.frame_end, 100) + 1, 10):
        scene.frame_set(f)
        heights.append(bpy.context.object.matrix_world.translation.z)
except (AttributeError, ReferenceError) as error:
    print("no object:", error)
else:
    print(heights)
finally:
    scene.frame_set(old)
