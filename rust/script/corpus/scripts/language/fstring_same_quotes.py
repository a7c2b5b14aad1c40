# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

stats = {"name": "Cube", "faces": 6}
print(f"{stats["name"]} has {stats["faces"]} faces")
obj = bpy.data.objects.get(stats["name"])
print(f'{obj.name if obj else 'none'}: {", ".join(o.name for o in bpy.data.objects)}')
