# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import random

source = bpy.data.collections.get("Trees")
if source:
    for i in range(50):
        inst = bpy.data.objects.new("Tree.inst", None)
        inst.instance_type = 'COLLECTION'
        inst.instance_collection = source
        inst.location = (random.uniform(-20, 20), random.uniform(-20, 20), 0)
        inst.rotation_euler[2] = random.uniform(0, 6.28)
        s = random.gauss(1.0, 0.15)
        inst.scale = (s, s, s)
        bpy.context.collection.objects.link(inst)
