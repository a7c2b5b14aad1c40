# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
for o in bpy.data.objects:
    o.visible_shadow = o.type != "LIGHT"
    if hasattr(o, "visible_camera"):
        o.visible_camera = True
    if hasattr(o, "cycles_visibility"):
        o.cycles_visibility.camera = True
    o.hide_viewport = False
light = bpy.data.objects["Light"].data
light.type = "SUN"
light = bpy.data.objects["Light"].data
light.energy = 3
for name, value in (("use_contact_shadow", True), ("shadow_soft_size", 0.4), ("use_shadow", True), ("cutoff_distance", 50)):
    if hasattr(light, name):
        setattr(light, name, value)
print(light.type, round(light.energy, 1))
