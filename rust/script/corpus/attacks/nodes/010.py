# SPDX-License-Identifier: GPL-3.0-or-later
# expect: nodes
import bpy
t = bpy.data.node_groups.new("c", "CompositorNodeTree")
n = t.nodes.new("CompositorNodeOutputFile")
n.base_path = "/tmp/sx_pwned"
