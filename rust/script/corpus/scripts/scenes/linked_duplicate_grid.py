# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

src = bpy.context.active_object
col = bpy.data.collections.new("Grid")
bpy.context.scene.collection.children.link(col)
n = 5
for row in range(n):
    for c in range(n):
        if row == c == 0:
            continue
        dup = src.copy()
        dup.location = src.location.copy()
        dup.location.x += row * 2.5
        dup.location.y += c * 2.5
        dup.color = (row / n, c / n, 0.5, 1)
        col.objects.link(dup)
print(src.data.users)
