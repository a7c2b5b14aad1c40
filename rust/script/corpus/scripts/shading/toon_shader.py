# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
m = bpy.data.materials.new("Toon")
m.use_nodes = True
t = m.node_tree
for n in list(t.nodes):
    if n.type != "OUTPUT_MATERIAL":
        t.nodes.remove(n)
out = next(n for n in t.nodes if n.type == "OUTPUT_MATERIAL")
diff, rgb, ramp, em = (t.nodes.new(k) for k in ("ShaderNodeBsdfDiffuse", "ShaderNodeShaderToRGB", "ShaderNodeValToRGB", "ShaderNodeEmission"))
ramp.color_ramp.interpolation = "CONSTANT"
while len(ramp.color_ramp.elements) < 4:
    ramp.color_ramp.elements.new(len(ramp.color_ramp.elements) / 4)
for i, e in enumerate(ramp.color_ramp.elements):
    e.position = i / 4
    e.color = (i / 4, 0.3 * i / 4, 0.1, 1)
for a, b in ((diff.outputs[0], rgb.inputs[0]), (rgb.outputs[0], ramp.inputs[0]), (ramp.outputs[0], em.inputs[0]), (em.outputs[0], out.inputs[0])):
    t.links.new(a, b)
bpy.data.objects["Cube"].data.materials[0] = m
print(len(ramp.color_ramp.elements), [l.from_node.type for l in t.links])
