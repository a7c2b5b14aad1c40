# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from itertools import product

palette = {"Gold": (1.0, 0.77, 0.34), "Copper": (0.95, 0.64, 0.54), "Steel": (0.56, 0.57, 0.58)}
for (name, rgb), rough in product(palette.items(), (0.05, 0.35)):
    m = bpy.data.materials.get(f"{name}_{int(rough * 100):02d}") or bpy.data.materials.new(f"{name}_{int(rough * 100):02d}")
    m.use_nodes = True
    p = next(n for n in m.node_tree.nodes if n.type == 'BSDF_PRINCIPLED')
    p.inputs["Base Color"].default_value = (*rgb, 1.0)
    p.inputs["Metallic"].default_value = 1.0
    p.inputs["Roughness"].default_value = rough
    m.diffuse_color = (*rgb, 1)
glass = bpy.data.materials.new("Glass")
glass.use_nodes = True
bs = glass.node_tree.nodes["Principled BSDF"]
bs.inputs["IOR"].default_value = 1.45
for key in ("Transmission Weight", "Transmission"):
    if key in bs.inputs:
        bs.inputs[key].default_value = 1.0
        break
print(len([m for m in bpy.data.materials if m.name.startswith(tuple(palette))]))
