# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
c = bpy.data.curves.new("t", 'FONT')
s = "x" * 1000
c.body = s * 100000
