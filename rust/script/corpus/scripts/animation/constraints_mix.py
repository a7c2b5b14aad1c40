# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
cube, light, cam = (bpy.data.objects[n] for n in ("Cube", "Light", "Camera"))
for kind, owner, target, extra in (
    ("COPY_LOCATION", light, cube, {"use_offset": True, "influence": 0.5}),
    ("DAMPED_TRACK", cam, cube, {"track_axis": "TRACK_NEGATIVE_Z"}),
    ("LIMIT_DISTANCE", light, cam, {"distance": 4.0}),
    ("CHILD_OF", cube, light, {"use_scale_x": False}),
):
    c = owner.constraints.new(kind)
    c.target = target
    for k, v in extra.items():
        setattr(c, k, v)
print({o.name: [c.type for c in o.constraints] for o in (cube, light, cam)})
cube.constraints["Child Of"].mute = True
light.constraints.move(0, 1)
