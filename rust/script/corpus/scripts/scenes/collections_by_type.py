# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from collections import defaultdict

groups = defaultdict(list)
for o in bpy.context.scene.objects:
    groups[o.type.title()].append(o)
for kind, members in sorted(groups.items()):
    col = bpy.data.collections.get(kind)
    if col is None:
        col = bpy.data.collections.new(kind)
        bpy.context.scene.collection.children.link(col)
    for o in members:
        for c in list(o.users_collection):
            c.objects.unlink(o)
        col.objects.link(o)
    col.color_tag = 'COLOR_04'
    print(f"{kind:<10}|{len(members):>3}")
