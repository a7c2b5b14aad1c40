# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
g = bpy.data.node_groups.new("Sized", "GeometryNodeTree")
g.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
g.interface.new_socket("Width", in_out="INPUT", socket_type="NodeSocketFloat")
g.interface.new_socket("Count", in_out="INPUT", socket_type="NodeSocketInt")
g.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
m = bpy.data.objects["Cube"].modifiers.new("Sized", "NODES")
m.node_group = g
def set_input(mod, name, value):
    for item in mod.node_group.interface.items_tree:
        if item.item_type == "SOCKET" and item.in_out == "INPUT" and item.name == name:
            if hasattr(mod, "properties"):
                getattr(mod.properties.inputs, item.identifier).value = value
            else:
                mod[item.identifier] = value
            return True
    return False
print(set_input(m, "Width", 2.5), set_input(m, "Count", 4), set_input(m, "None", 0))
m.node_group.interface_update(bpy.context)
bpy.data.objects["Cube"].update_tag()
