# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy, colorsys
from typing import Iterator, Sequence

def hex_to_rgba(h: str) -> tuple[float, ...]:
    h = h.lstrip("#")
    srgb = [int(h[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    lin = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in srgb]
    return (*lin, 1.0)

def rainbow(n: int) -> Iterator[str]:
    for i in range(n):
        r, g, b = (int(255 * c) for c in colorsys.hsv_to_rgb(i / n, 0.65, 0.9))
        yield f"#{r:02x}{g:02X}{b:02x}"

PALETTE: Sequence[str] = ("#264653", "#2a9d8f", "#e9c46a", "#f4a261", "#e76f51")
for i, code in enumerate((*PALETTE, *rainbow(4))):
    mat = bpy.data.materials.new(f"PAL_{code[1:].upper()}")
    mat.use_nodes = True
    mat.node_tree.nodes["Principled BSDF"].inputs[0].default_value = hex_to_rgba(code)
    mat.use_backface_culling = bool(i % 2)
    mat.diffuse_color = hex_to_rgba(code)
    bpy.ops.mesh.primitive_plane_add(size=0.9, location=(i, 0, 0))
    bpy.context.object.active_material = mat
    bpy.context.object.material_slots[0].link = 'OBJECT'
    bpy.context.object.material_slots[0].material = mat
assert format(255, "02x") == "ff" and "%.2f" % 1.005 and "{0:>{1}}".format("x", 4) == "   x"
