# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
x = bpy.data
x.images.load('/x', check_existing=True)
