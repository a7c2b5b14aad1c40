# SPDX-License-Identifier: GPL-3.0-or-later
# expect: imports
import bpy.utils.previews
p = bpy.utils.previews.new()
p.load("a", "/etc/passwd", 'IMAGE')
