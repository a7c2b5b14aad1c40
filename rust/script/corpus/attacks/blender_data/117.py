# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
m = bpy.context.object.modifiers.new("c", 'MESH_CACHE')
m.filepath = "/etc/passwd"
