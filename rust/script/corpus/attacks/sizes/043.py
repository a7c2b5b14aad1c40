# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
bpy.data.images.new('x', width=10**6, height=10**6)
