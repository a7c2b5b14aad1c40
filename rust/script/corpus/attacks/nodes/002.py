# SPDX-License-Identifier: GPL-3.0-or-later
# expect: nodes
import bpy
bpy.data.node_groups[0].nodes.new('CompositorNodeOutputFile')
