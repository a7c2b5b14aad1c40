# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
mat = bpy.data.materials["Material"]
tree = mat.node_tree
def depth(node, seen=()):
    if node.name in seen:
        return 0
    return 1 + max((depth(l.to_node, (*seen, node.name)) for s in node.outputs for l in s.links), default=-1)
columns = {}
for node in sorted(tree.nodes, key=lambda n: n.name):
    columns.setdefault(depth(node), []).append(node)
for d, nodes in columns.items():
    for row, node in enumerate(nodes):
        node.location = (-d * 300, -row * 200)
        node.select = False
        node.width = max(node.width, 150)
tree.nodes.active = tree.nodes["Principled BSDF"]
print({d: [n.name for n in ns] for d, ns in sorted(columns.items())}, tree.nodes.active.name)
