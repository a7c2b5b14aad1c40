# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
n = 60000
bpy.data.images.new("x", width=n, height=n)
