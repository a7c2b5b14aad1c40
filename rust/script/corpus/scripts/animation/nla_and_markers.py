# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

sc = bpy.context.scene
for i, name in enumerate(("Intro", "Action", "Outro")):
    sc.timeline_markers.new(name, frame=1 + i * 40)
ob = bpy.data.objects["Cube"]
ob.keyframe_insert("location", frame=1)
ob.location.z = 3
ob.keyframe_insert("location", frame=20)
ad = ob.animation_data
track = ad.nla_tracks.new()
track.name = "Base"
strip = track.strips.new("Jump", 1, ad.action)
strip.repeat = 2.0
print([(m.name, m.frame) for m in sc.timeline_markers], len(ad.nla_tracks))
