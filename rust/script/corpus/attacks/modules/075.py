# SPDX-License-Identifier: GPL-3.0-or-later
# expect: modules
import bpy
bpy.msgbus.subscribe_rna(key=(bpy.types.LayerObjects, "active"), owner=object(), args=(), notify=print)
