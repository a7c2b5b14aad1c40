# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy, math
obj = bpy.data.objects["Cube"]
specs = [
    ("Bevel", "BEVEL", dict(width=0.05, segments=3, limit_method="ANGLE", angle_limit=math.radians(30))),
    ("Array", "ARRAY", dict(count=4, use_relative_offset=True, relative_offset_displace=(1.2, 0, 0))),
    ("Mirror", "MIRROR", dict(use_axis=(True, False, False), use_clip=True)),
    ("Subsurf", "SUBSURF", dict(levels=1, render_levels=2, subdivision_type="CATMULL_CLARK")),
    ("Deform", "SIMPLE_DEFORM", dict(deform_method="TWIST", angle=math.pi / 4, deform_axis="Z")),
    ("Decimate", "DECIMATE", dict(ratio=0.8)),
]
for name, kind, props in specs:
    mod = obj.modifiers.new(name=name, type=kind)
    for k, v in props.items():
        setattr(mod, k, v)
obj.modifiers["Array"].show_in_editmode = False
obj.modifiers.move(0, 2)
print([(m.name, m.type) for m in obj.modifiers])
