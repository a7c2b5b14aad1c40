# SPDX-License-Identifier: GPL-3.0-or-later
# expect: types
import bpy
t = bpy.types.Scene
t.x = 1
