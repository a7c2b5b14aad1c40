# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
tree = bpy.data.node_groups.new("Forest", "GeometryNodeTree")
tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
tree.interface.new_socket("Trees", in_out="INPUT", socket_type="NodeSocketCollection")
tree.interface.new_socket("Seed", in_out="INPUT", socket_type="NodeSocketInt")
tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
N, L = tree.nodes.new, tree.links.new
gi = N("NodeGroupInput"); go = N("NodeGroupOutput")
dist = N("GeometryNodeDistributePointsOnFaces")
dist.distribute_method = "RANDOM"
dist.inputs["Density"].default_value = 3
info = N("GeometryNodeCollectionInfo")
info.inputs["Separate Children"].default_value = True
info.inputs["Reset Children"].default_value = True
inst = N("GeometryNodeInstanceOnPoints")
inst.inputs["Pick Instance"].default_value = True
rnd = N("FunctionNodeRandomValue")
rnd.data_type = "FLOAT_VECTOR"
rnd.inputs["Min"].default_value = (0.5, 0.5, 0.5)
rnd.inputs["Max"].default_value = (1.5, 1.5, 1.5)
L(gi.outputs["Geometry"], dist.inputs["Mesh"])
L(gi.outputs["Seed"], dist.inputs["Seed"])
L(gi.outputs["Trees"], info.inputs["Collection"])
L(dist.outputs["Points"], inst.inputs["Points"])
L(dist.outputs["Rotation"], inst.inputs["Rotation"])
L(info.outputs[0], inst.inputs["Instance"])
L(rnd.outputs["Value"], inst.inputs["Scale"])
L(inst.outputs["Instances"], go.inputs["Geometry"])
col = bpy.data.collections.new("Trees")
for i in range(2):
    o = bpy.data.objects.new(f"Tree{i}", bpy.data.meshes.new("T"))
    col.objects.link(o)
mod = bpy.data.objects["Cube"].modifiers.new("Forest", "NODES")
mod.node_group = tree
ids = {it.name: it.identifier for it in tree.interface.items_tree if it.item_type == "SOCKET" and it.in_out == "INPUT"}
print(sorted(ids))
