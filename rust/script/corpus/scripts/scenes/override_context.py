# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

for obj in bpy.data.objects:
    if obj.type == 'MESH' and obj.modifiers:
        with bpy.context.temp_override(object=obj, active_object=obj, selected_objects=[obj]):
            bpy.ops.object.shade_smooth()
wm = bpy.context.window_manager
wm.progress_begin(0, 100)
wm.progress_update(50)
wm.progress_end()
