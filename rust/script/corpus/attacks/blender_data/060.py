# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.data.materials[0].node_tree.nodes['x'].ies
