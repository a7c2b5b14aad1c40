# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

mesh = bpy.context.object.data
name = "height"
if name not in mesh.attributes:
    mesh.attributes.new(name=name, type='FLOAT', domain='POINT')
attr = mesh.attributes[name]
for i, v in enumerate(mesh.vertices):
    attr.data[i].value = v.co.z
values = [d.value for d in attr.data]
print("min %.3f max %.3f" % (min(values), max(values)))
