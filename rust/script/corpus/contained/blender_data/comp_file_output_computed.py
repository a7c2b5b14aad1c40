# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

t = bpy.data.node_groups.new("c", "CompositorNodeTree")
name = "CompositorNodeOutput"
name += "File"
n = t.nodes.new(name)
