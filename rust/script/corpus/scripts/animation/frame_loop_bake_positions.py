# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
s = bpy.context.scene
cube = bpy.data.objects["Cube"]
cube.location = (0, 0, 0)
cube.keyframe_insert("location", frame=1)
cube.location = (4, 0, 2)
cube.keyframe_insert("location", frame=9)
track = []
current = s.frame_current
for f in range(1, 10, 2):
    s.frame_set(f)
    track.append(cube.matrix_world.translation.copy())
s.frame_set(current)
path = bpy.data.curves.new("Trail", "CURVE")
path.dimensions = "3D"
sp = path.splines.new("POLY")
sp.points.add(len(track) - 1)
for p, co in zip(sp.points, track):
    p.co = (*co, 1)
bpy.context.collection.objects.link(bpy.data.objects.new("Trail", path))
print([round(v.x, 2) for v in track])
