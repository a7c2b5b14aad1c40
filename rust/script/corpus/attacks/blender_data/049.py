# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.context.area.header_text_set('x')
