# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.context.space_data.draw_handler_add(print, (), 'WINDOW', 'POST_PIXEL')
