# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
n = 10 ** 9
c = bpy.data.curves.new("c", 'CURVE')
c.splines.new('POLY').points.add(count=n)
