# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

col = bpy.data.collections.new("Parts")
for i in range(4):
    o = bpy.data.objects.new(f"P{i}", bpy.data.objects["Cube"].data)
    o.location.x = i
    col.objects.link(o)
for k in range(3):
    e = bpy.data.objects.new(f"Inst{k}", None)
    e.instance_type = 'COLLECTION'
    e.instance_collection = col
    e.location.y = k * 3
    bpy.context.scene.collection.objects.link(e)
bpy.context.view_layer.update()
dg = bpy.context.evaluated_depsgraph_get()
n = 0
for inst in dg.object_instances:
    if inst.is_instance:
        n += 1
        assert inst.object is not None
print(n)
