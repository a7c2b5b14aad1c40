# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
s = bpy.context.scene
for i, n in enumerate(["Intro", "Turn", "End"]):
    m = s.timeline_markers.new(n, frame=1 + i * 24)
    if n == "Turn":
        cam = bpy.data.objects.new("Cam2", bpy.data.cameras.new("Cam2"))
        s.collection.objects.link(cam)
        m.camera = cam
s.frame_set(10, subframe=0.5)
print({m.name: m.frame for m in s.timeline_markers}, s.frame_current, s.frame_float, s.timeline_markers.get("No"))
s.render.fps = 25
s.frame_current = 3
