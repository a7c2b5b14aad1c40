# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
for coll_name in ("meshes", "materials", "textures", "images", "curves"):
    data = getattr(bpy.data, coll_name)
    print(f"{coll_name:<10} {len(data):3d}  unused: {sum(1 for d in data if d.users == 0)}")
mat = bpy.data.materials.new("Attr")
for attr, value in {"roughness": 0.3, "metallic": 0.8, "specular_intensity": 0.2}.items():
    if getattr(mat, attr, None) is not None:
        setattr(mat, attr, value)
ob = bpy.context.object
for axis in "xyz":
    setattr(ob.location, axis, getattr(ob.location, axis) + 1)
for prop in ("hide_viewport", "hide_render", "show_wire", "show_name"):
    print(prop, getattr(ob, prop, "n/a"))
