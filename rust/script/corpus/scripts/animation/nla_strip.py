# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
cube = bpy.data.objects["Cube"]
for f, z in ((1, 0), (20, 2)):
    cube.location.z = z
    cube.keyframe_insert("location", frame=f)
ad = cube.animation_data
action = ad.action
track = ad.nla_tracks.new()
track.name = "Hop"
strip = track.strips.new("Hop", 1, action)
strip.repeat = 3
strip.blend_type = "ADD"
ad.action = None
print(track.strips[0].action.name, round(strip.frame_end), [t.name for t in ad.nla_tracks])
