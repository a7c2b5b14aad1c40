# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

obj = bpy.context.object
for mod in obj.modifiers:
    if mod.type == 'NODES' and mod.node_group:
        for item in mod.node_group.interface.items_tree:
            if item.item_type == 'SOCKET' and item.in_out == 'INPUT' and item.name == "Density":
                mod[item.identifier] = 50.0
obj.update_tag()
bpy.context.view_layer.update()
