# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
m = bpy.context.object.modifiers.new("n", 'NODES')
m.bake_directory = "/tmp/x"
bpy.ops.object.simulation_nodes_cache_bake()
