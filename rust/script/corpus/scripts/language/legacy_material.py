# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
mat = bpy.data.materials.new("Leaf")
mat.use_nodes = True
for name, value in {"blend_method": "HASHED", "shadow_method": "HASHED", "use_screen_refraction": True, "refraction_depth": 0.1, "surface_render_method": "DITHERED"}.items():
    try:
        setattr(mat, name, value)
    except (AttributeError, TypeError):
        print("no", name)
if hasattr(mat, "show_transparent_back"):
    mat.show_transparent_back = False
bpy.data.objects["Cube"].data.materials.append(mat)
