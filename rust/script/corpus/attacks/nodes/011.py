# SPDX-License-Identifier: GPL-3.0-or-later
# expect: nodes
import bpy
m = bpy.data.materials.new("x")
m.use_nodes = True
n = m.node_tree.nodes.new("ShaderNodeScript")
n.mode = 'EXTERNAL'
