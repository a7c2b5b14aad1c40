# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

s = bpy.context.scene
s.unit_settings.system = 'METRIC'
s.unit_settings.length_unit = 'CENTIMETERS'
s.unit_settings.scale_length = 0.01
s.cursor.location = (1, 1, 1)
s.cursor.rotation_euler = (0, 0, 0.5)
s.tool_settings.use_snap = True
s.tool_settings.snap_elements = {'VERTEX', 'EDGE'}
s.use_gravity = False
s.frame_current = 10
s.render.fps_base = 1.001
