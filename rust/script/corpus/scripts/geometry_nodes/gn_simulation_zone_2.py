# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
g = bpy.data.node_groups.new("Sim", "GeometryNodeTree")
for d in ("INPUT", "OUTPUT"):
    g.interface.new_socket("Geometry", in_out=d, socket_type="NodeSocketGeometry")
gi, go = g.nodes.new("NodeGroupInput"), g.nodes.new("NodeGroupOutput")
si, so = g.nodes.new("GeometryNodeSimulationInput"), g.nodes.new("GeometryNodeSimulationOutput")
si.pair_with_output(so)
so.state_items.new("FLOAT", "Age")
sp = g.nodes.new("GeometryNodeSetPosition")
sp.inputs["Offset"].default_value = (0, 0, 0.05)
g.links.new(gi.outputs[0], si.inputs["Geometry"])
g.links.new(si.outputs["Geometry"], sp.inputs["Geometry"])
g.links.new(sp.outputs["Geometry"], so.inputs["Geometry"])
g.links.new(so.outputs["Geometry"], go.inputs[0])
ri, ro = g.nodes.new("GeometryNodeRepeatInput"), g.nodes.new("GeometryNodeRepeatOutput")
ri.pair_with_output(ro)
ri.inputs["Iterations"].default_value = 3
print([s.name for s in si.outputs][:3], len(so.state_items), ri.paired_output == ro)
