# SPDX-License-Identifier: GPL-3.0-or-later
# expect: nodes
import bpy
t = bpy.data.node_groups.new("g", "GeometryNodeTree")
for end in ("STL", "OBJ", "CSV"):
    t.nodes.new(f"GeometryNodeImport{end}")
