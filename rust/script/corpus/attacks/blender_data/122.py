# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
m = bpy.data.lights.new("l", 'SPOT')
m.use_nodes = True
m.node_tree.nodes.new("ShaderNodeTexIES").filepath = "/etc/passwd"
