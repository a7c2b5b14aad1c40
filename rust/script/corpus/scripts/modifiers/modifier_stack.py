# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

obj = bpy.context.active_object
bevel = obj.modifiers.new(name="Bevel", type='BEVEL')
bevel.width = 0.05
bevel.segments = 3
bevel.limit_method = 'ANGLE'
sub = obj.modifiers.new("Subdivision", 'SUBSURF')
sub.levels = 2
sub.render_levels = 3
arr = obj.modifiers.new("Array", 'ARRAY')
arr.count = 5
arr.relative_offset_displace = (1.1, 0, 0)
for m in obj.modifiers:
    print(m.name, m.type, m.show_viewport)
