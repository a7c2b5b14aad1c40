# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
def ensure_collection(name, parent=None):
    col = bpy.data.collections.get(name)
    if col is None:
        col = bpy.data.collections.new(name)
        (parent or bpy.context.scene.collection).children.link(col)
    return col
root = ensure_collection("Building")
for floor in range(3):
    f = ensure_collection(f"Floor {floor}", root)
    for room in "AB":
        e = bpy.data.objects.new(f"Room {floor}{room}", None)
        e.empty_display_type = "CUBE"
        e.empty_display_size = 0.5
        e.location = (ord(room) - 65, 0, floor)
        f.objects.link(e)
def depth(c): return 1 + max((depth(x) for x in c.children), default=0)
print(depth(root), [c.name for c in root.children_recursive], len(root.all_objects))
cube = bpy.data.objects["Cube"]
for c in cube.users_collection:
    c.objects.unlink(cube)
root.objects.link(cube)
root.color_tag = "COLOR_05"
