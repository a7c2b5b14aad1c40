# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

t = bpy.data.node_groups.new("g", "GeometryNodeTree")
k = "gEOMETRYnODEiMPORTcsv".swapcase()
f = t.nodes.new
f(k)
