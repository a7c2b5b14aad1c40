# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
kinds = ["cube", "uv_sphere", "cone", "torus", "monkey"]
for i, kind in enumerate(kinds):
    op = getattr(bpy.ops.mesh, f"primitive_{kind}_add")
    op(location=(i * 3, 0, 0))
    bpy.context.object.name = kind.capitalize()
