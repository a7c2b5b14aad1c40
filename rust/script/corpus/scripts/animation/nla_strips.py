# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
ob = bpy.context.object
ob.animation_data_create()
act = bpy.data.actions.new("Bounce")
ob.animation_data.action = act
for f, z in ((1, 0), (10, 2), (20, 0)):
    ob.location.z = z
    ob.keyframe_insert("location", index=2, frame=f)
track = ob.animation_data.nla_tracks.new()
track.name = "BounceTrack"
strip = track.strips.new("Bounce", 1, act)
strip.repeat = 3
strip.scale = 1.5
strip.blend_type = 'ADD'
strip.extrapolation = 'NOTHING'
strip.use_auto_blend = True
ob.animation_data.action = None
for t in ob.animation_data.nla_tracks:
    t.mute = False
    for s in t.strips:
        print(s.name, s.frame_start, s.frame_end, s.action.name)
