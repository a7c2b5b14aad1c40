# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
mat = bpy.data.materials.new("Glow")
mat.use_nodes = True
em = mat.node_tree.nodes.new("ShaderNodeEmission")
em.inputs["Strength"].default_value = 2
path = f'nodes["{em.name}"].inputs[1].default_value'
fc = mat.node_tree.driver_add(path)
fc.driver.type = "SUM"
v = fc.driver.variables.new()
v.targets[0].id_type = "SCENE"
v.targets[0].id = bpy.context.scene
v.targets[0].data_path = "frame_current"
out = [n for n in mat.node_tree.nodes if n.bl_idname == "ShaderNodeOutputMaterial"][0]
mat.node_tree.links.new(em.outputs[0], out.inputs["Surface"])
em.inputs["Color"].keyframe_insert("default_value", frame=1)
print(fc.data_path == path, len(mat.node_tree.animation_data.drivers))
