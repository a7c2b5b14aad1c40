# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
t = bpy.data.node_groups.new("Store", "GeometryNodeTree")
t.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
t.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
gi = t.nodes.new("NodeGroupInput")
go = t.nodes.new("NodeGroupOutput")
st = t.nodes.new("GeometryNodeStoreNamedAttribute")
st.data_type = "FLOAT"
st.domain = "POINT"
st.inputs["Name"].default_value = "height"
sp = t.nodes.new("ShaderNodeSeparateXYZ")
po = t.nodes.new("GeometryNodeInputPosition")
t.links.new(po.outputs["Position"], sp.inputs[0])
val = next(s for s in st.inputs if s.name == "Value" and s.enabled)
t.links.new(sp.outputs["Z"], val)
t.links.new(gi.outputs[0], st.inputs["Geometry"])
t.links.new(st.outputs["Geometry"], go.inputs[0])
o = bpy.data.objects["Cube"]
m = o.modifiers.new("Store", "NODES")
m.node_group = t
ev = o.evaluated_get(bpy.context.evaluated_depsgraph_get())
print([round(v.value, 2) for v in ev.data.attributes["height"].data][:4])
