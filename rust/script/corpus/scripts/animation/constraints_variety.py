# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

ob = bpy.data.objects["Cube"]
tgt = bpy.data.objects.new("Target", None)
bpy.context.collection.objects.link(tgt)
tgt.location = (3, 0, 0)
for kind, props in {
    'COPY_LOCATION': {"influence": 0.5},
    'LIMIT_LOCATION': {"use_max_x": True, "max_x": 2.0},
    'DAMPED_TRACK': {"track_axis": 'TRACK_X'},
    'COPY_ROTATION': {"mix_mode": 'ADD'},
}.items():
    c = ob.constraints.new(kind)
    if hasattr(c, "target"):
        c.target = tgt
    for k in ("influence", "use_max_x", "max_x", "track_axis", "mix_mode"):
        if k in props:
            setattr(c, k, props[k])
ob.constraints.move(0, 1)
print([c.type for c in ob.constraints])
