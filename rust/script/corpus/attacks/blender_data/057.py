# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.data.node_groups[0].nodes['x'].bytecode = 'x'
