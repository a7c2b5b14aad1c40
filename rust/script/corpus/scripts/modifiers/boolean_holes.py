# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
base = bpy.data.objects["Cube"]
base.scale = (2, 2, 0.2)
for i in range(-1, 2):
    bpy.ops.mesh.primitive_cylinder_add(vertices=16, radius=0.3, depth=2, location=(i, 0, 0))
    cutter = bpy.context.object
    cutter.name = f"Cutter.{i + 1}"
    cutter.display_type = "BOUNDS"
    cutter.hide_render = True
    cutter.parent = base
    cutter.matrix_parent_inverse = base.matrix_world.inverted()
    mod = base.modifiers.new(cutter.name, "BOOLEAN")
    mod.object = cutter
    mod.operation = "DIFFERENCE"
    mod.solver = "EXACT"
print(len(base.children), [m.object.name for m in base.modifiers])
