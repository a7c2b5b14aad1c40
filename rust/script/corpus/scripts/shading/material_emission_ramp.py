# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

mat = bpy.data.materials.get("Lava") or bpy.data.materials.new("Lava")
mat.use_nodes = True
nt = mat.node_tree
nt.nodes.clear()
out = nt.nodes.new("ShaderNodeOutputMaterial")
em = nt.nodes.new("ShaderNodeEmission")
ramp = nt.nodes.new("ShaderNodeValToRGB")
tex = nt.nodes.new("ShaderNodeTexVoronoi")
coord = nt.nodes.new("ShaderNodeTexCoord")
ramp.color_ramp.elements[0].color = (0.02, 0, 0, 1)
ramp.color_ramp.elements[1].color = (1, 0.4, 0.05, 1)
e = ramp.color_ramp.elements.new(0.5)
e.color = (0.6, 0.05, 0, 1)
em.inputs["Strength"].default_value = 5
for a, b in ((coord.outputs["Object"], tex.inputs["Vector"]), (tex.outputs["Distance"], ramp.inputs["Fac"]), (ramp.outputs["Color"], em.inputs["Color"]), (em.outputs["Emission"], out.inputs["Surface"])):
    nt.links.new(a, b)
for i, n in enumerate([coord, tex, ramp, em, out]):
    n.location.x = i * 220
