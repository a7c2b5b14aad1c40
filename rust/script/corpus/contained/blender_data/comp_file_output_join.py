# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

t = bpy.data.node_groups.new("c", "CompositorNodeTree")
kind = "".join(["Compositor", "NodeOutput", "File"])
nodes = t.nodes
nodes.new(kind)
