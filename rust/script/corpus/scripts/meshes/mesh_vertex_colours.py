# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import random

random.seed(4)
obj = bpy.context.object
if obj and obj.type == 'MESH':
    mesh = obj.data
    layer = mesh.color_attributes.new(name="Col", type='BYTE_COLOR', domain='CORNER')
    for poly in mesh.polygons:
        colour = (random.random(), random.random(), random.random(), 1.0)
        for loop in poly.loop_indices:
            layer.data[loop].color = colour
