# SPDX-License-Identifier: GPL-3.0-or-later
# expect: types
import bpy
bpy.types.SpaceView3D.draw_handler_add(print, (), 'WINDOW', 'POST_PIXEL')
