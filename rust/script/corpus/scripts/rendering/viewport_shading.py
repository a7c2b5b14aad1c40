# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

screen = bpy.context.screen
if screen:
    for area in screen.areas:
        if area.type == 'VIEW_3D':
            for space in area.spaces:
                if space.type == 'VIEW_3D':
                    space.shading.type = 'MATERIAL'
                    space.overlay.show_floor = False
            area.tag_redraw()
