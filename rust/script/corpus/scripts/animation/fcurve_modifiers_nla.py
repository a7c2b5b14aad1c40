# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
ob = bpy.context.object
ob.location = (0, 0, 0)
ob.keyframe_insert(data_path="location", frame=1)
ob.location.z = 3
ob.keyframe_insert(data_path="location", frame=30)
ob.location.z = 0
ob.keyframe_insert(data_path="location", frame=60, group="Bounce")

def iter_fcurves(action):
    """Works with legacy and layered actions."""
    if getattr(action, "is_action_layered", False) or hasattr(action, "layers"):
        for layer in action.layers:
            for strip in layer.strips:
                for bag in strip.channelbags:
                    yield from bag.fcurves
    else:
        yield from action.fcurves

act = ob.animation_data.action
act.name = "Bounce"
for fc in iter_fcurves(act):
    if fc.data_path == "location" and fc.array_index == 2:
        for kp in fc.keyframe_points:
            kp.interpolation = 'BEZIER'
            kp.easing = 'EASE_IN_OUT'
            kp.handle_left_type = kp.handle_right_type = 'AUTO_CLAMPED'
        n = fc.modifiers.new('NOISE')
        n.scale, n.strength, n.phase = 5.0, 0.2, 3.0
    else:
        fc.mute = True
    fc.update()
track = ob.animation_data.nla_tracks.new()
track.name = "BounceTrack"
strip = track.strips.new(act.name, 1, act)
strip.repeat = 3
strip.blend_type = 'REPLACE'
strip.extrapolation = 'HOLD'
ob.animation_data.action = None
print([(s.name, s.frame_start, s.frame_end) for s in track.strips])
