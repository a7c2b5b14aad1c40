# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

for ng in bpy.data.node_groups:
    if ng.bl_idname == 'GeometryNodeTree':
        print(ng.name, len(ng.nodes), "nodes")
        for node in ng.nodes:
            linked = [s.name for s in node.inputs if s.is_linked]
            print("  ", node.name, node.bl_idname, linked)
