# SPDX-License-Identifier: GPL-3.0-or-later
# expect: nodes
import bpy
t = bpy.data.node_groups.new("g", "GeometryNodeTree")
n = t.nodes.new("GeometryNodeImport" "STL")
