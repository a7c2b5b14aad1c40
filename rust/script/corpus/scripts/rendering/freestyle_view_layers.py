# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

sc = bpy.context.scene
vl = sc.view_layers.new("Clay")
vl.use_pass_z = True
vl.use_pass_normal = True
vl.samples = 32
for lc in vl.layer_collection.children:
    lc.exclude = False
print(sorted(v.name for v in sc.view_layers))
