# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

mat = bpy.data.materials["Material"]
mat.use_nodes = True
bsdf = mat.node_tree.nodes["Principled BSDF"]
sock = bsdf.inputs["Roughness"]
for f, v in ((1, 0.1), (30, 0.9), (60, 0.1)):
    sock.default_value = v
    sock.keyframe_insert("default_value", frame=f)
print(mat.node_tree.animation_data.action is not None)
