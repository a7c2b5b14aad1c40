# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy


def find_layer(layer, name):
    if layer.name == name:
        return layer
    for child in layer.children:
        found = find_layer(child, name)
        if found:
            return found
    return None


root = bpy.context.view_layer.layer_collection
lc = find_layer(root, "Helpers")
if lc:
    lc.exclude = True
for c in bpy.data.collections:
    c.hide_render = c.name.endswith("_hidden")
