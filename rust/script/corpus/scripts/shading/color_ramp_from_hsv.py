# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import colorsys

mat = bpy.data.materials.new("Rainbow")
mat.use_nodes = True
t = mat.node_tree
ramp = t.nodes.new("ShaderNodeValToRGB")
els = ramp.color_ramp.elements
while len(els) > 1:
    els.remove(els[-1])
n = 7
for i in range(n):
    e = els[0] if i == 0 else els.new(i / (n - 1))
    e.position = i / (n - 1)
    e.color = (*colorsys.hsv_to_rgb(i / n, 0.8, 1.0), 1.0)
ramp.color_ramp.interpolation = 'CONSTANT'
t.links.new(ramp.outputs[0], t.nodes["Principled BSDF"].inputs[0])
