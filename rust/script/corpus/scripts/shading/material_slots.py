# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

names = ["Red", "Green", "Blue"]
colours = {"Red": (1, 0, 0, 1), "Green": (0, 1, 0, 1), "Blue": (0, 0, 1, 1)}
obj = bpy.context.object
obj.data.materials.clear()
for n in names:
    m = bpy.data.materials.new(n)
    m.diffuse_color = colours[n]
    obj.data.materials.append(m)
for i, face in enumerate(obj.data.polygons):
    face.material_index = i % len(names)
for slot in obj.material_slots:
    print(slot.name, slot.material.name if slot.material else None)
