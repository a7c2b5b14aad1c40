# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

scene = bpy.context.scene
if bpy.app.version >= (5, 0, 0):
    tree = bpy.data.node_groups.new("Comp", "CompositorNodeTree")
    scene.compositing_node_group = tree
else:
    scene.use_nodes = True
    tree = scene.node_tree
    for n in list(tree.nodes):
        tree.nodes.remove(n)
rl = tree.nodes.new("CompositorNodeRLayers")
blur = tree.nodes.new("CompositorNodeBlur")
rl.location, blur.location = (-300, 0), (0, 0)
tree.links.new(rl.outputs["Image"], blur.inputs["Image"])
print(len(tree.nodes), len(tree.links))
