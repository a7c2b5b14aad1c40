# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
tree = bpy.data.node_groups.new("GrowSim", 'GeometryNodeTree')
tree.is_modifier = True
geo_in = tree.interface.new_socket(name="Geometry", in_out='INPUT', socket_type='NodeSocketGeometry')
geo_out = tree.interface.new_socket(name="Geometry", in_out='OUTPUT', socket_type='NodeSocketGeometry')
panel = tree.interface.new_panel("Settings", default_closed=True)
speed = tree.interface.new_socket("Speed", in_out='INPUT', socket_type='NodeSocketFloat', parent=panel)
speed.subtype = 'FACTOR'
speed.default_value = 0.02
gin = tree.nodes.new("NodeGroupInput")
gout = tree.nodes.new("NodeGroupOutput")
sim_in = tree.nodes.new("GeometryNodeSimulationInput")
sim_out = tree.nodes.new("GeometryNodeSimulationOutput")
sim_in.pair_with_output(sim_out)
setpos = tree.nodes.new("GeometryNodeSetPosition")
normal = tree.nodes.new("GeometryNodeInputNormal")
vm = tree.nodes.new("ShaderNodeVectorMath")
vm.operation = 'SCALE'
frame = tree.nodes.new("NodeFrame")
frame.label = "Grow"
for n in (setpos, normal, vm):
    n.parent = frame
links = [
    (gin.outputs[0], sim_in.inputs[0]),
    (sim_in.outputs["Geometry"], setpos.inputs["Geometry"]),
    (normal.outputs[0], vm.inputs[0]),
    (gin.outputs["Speed"], vm.inputs["Scale"]),
    (vm.outputs[0], setpos.inputs["Offset"]),
    (setpos.outputs[0], sim_out.inputs["Geometry"]),
    (sim_out.outputs["Geometry"], gout.inputs[0]),
]
for a, b in links:
    tree.links.new(a, b)
ob = bpy.context.object
if ob and ob.type == 'MESH':
    mod = ob.modifiers.new("Grow", 'NODES')
    mod.node_group = tree
for link in tree.links:
    if not link.is_valid:
        raise RuntimeError(f"bad link {link.from_node.name} -> {link.to_node.name}")
