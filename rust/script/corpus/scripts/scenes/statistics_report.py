# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import time
from collections import Counter

start = time.perf_counter()
kinds = Counter(o.type for o in bpy.data.objects)
total = sum(len(m.vertices) for m in bpy.data.meshes)
for kind, n in kinds.most_common():
    print(kind.ljust(12), str(n).rjust(5))
print("vertices", total, "in", round((time.perf_counter() - start) * 1000, 2), "ms")
print("Blender", bpy.app.version_string, bpy.app.version >= (4, 2, 0))
