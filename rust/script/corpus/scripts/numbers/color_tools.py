# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy, colorsys
from mathutils import Color
def srgb_to_linear(c):
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
def from_hex(text):
    text = text.lstrip("#")
    return tuple(srgb_to_linear(int(text[i:i + 2], 16) / 255) for i in (0, 2, 4)) + (1.0,)
for i, code in enumerate(("#ff8800", "#0088ff", "336633")):
    m = bpy.data.materials.new(f"Hex {code}")
    m.diffuse_color = from_hex(code)
h = [colorsys.hsv_to_rgb(i / 5, 0.7, 1.0) for i in range(5)]
c = Color(h[2])
c.v = 0.5
print([round(x, 3) for x in from_hex("#ff8800")], [round(x, 2) for x in c.hsv], c.from_scene_linear_to_srgb()[0] >= 0)
