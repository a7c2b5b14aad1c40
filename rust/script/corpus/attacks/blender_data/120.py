# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
m = bpy.context.object.modifiers.new("c", 'CLOTH')
m.point_cache.use_disk_cache = True
m.point_cache.use_external = True
m.point_cache.filepath = "/tmp/sx_pwned"
