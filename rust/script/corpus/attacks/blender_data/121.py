# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
m = bpy.context.object.modifiers.new("g", 'NODES')
m.bake_directory = "/tmp/sx_pwned"
