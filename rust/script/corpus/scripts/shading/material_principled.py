# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

mat = bpy.data.materials.new(name="Gold")
mat.use_nodes = True
nodes = mat.node_tree.nodes
links = mat.node_tree.links
bsdf = nodes.get("Principled BSDF")
bsdf.inputs["Base Color"].default_value = (1.0, 0.77, 0.34, 1.0)
bsdf.inputs["Metallic"].default_value = 1.0
bsdf.inputs["Roughness"].default_value = 0.25
noise = nodes.new(type="ShaderNodeTexNoise")
noise.location = (-400, 0)
noise.inputs["Scale"].default_value = 12.0
bump = nodes.new("ShaderNodeBump")
bump.location = (-200, -200)
links.new(noise.outputs["Fac"], bump.inputs["Height"])
links.new(bump.outputs["Normal"], bsdf.inputs["Normal"])
obj = bpy.context.object
if obj.data.materials:
    obj.data.materials[0] = mat
else:
    obj.data.materials.append(mat)
