# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from contextlib import suppress
previous = [o.name for o in bpy.context.selected_objects]
bpy.ops.object.select_all(action="DESELECT")
for name in ("Cube", "Missing", "Light"):
    with suppress(KeyError):
        bpy.data.objects[name].select_set(True)
bpy.ops.transform.translate(value=(0, 0, 1))
bpy.ops.transform.resize(value=(2, 2, 2))
bpy.ops.transform.rotate(value=0.5, orient_axis="Z")
for name in previous:
    bpy.data.objects[name].select_set(True)
print(sorted(o.name for o in bpy.context.selected_objects), round(bpy.data.objects["Cube"].location.z, 2))
