# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import re

pattern = re.compile(r"\.\d{3}$")
for i in range(3):
    bpy.ops.object.duplicate(linked=False)
seen = {}
for o in bpy.data.objects:
    base = pattern.sub("", o.name)
    seen.setdefault(base, []).append(o)
for base, obs in seen.items():
    for k, o in enumerate(obs):
        o.name = f"{base}_{chr(65 + k)}"
print(sorted(o.name for o in bpy.data.objects))
