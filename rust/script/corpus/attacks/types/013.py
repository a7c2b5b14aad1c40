# SPDX-License-Identifier: GPL-3.0-or-later
# expect: types
import bpy
isinstance(1, [T := bpy.types.Object][0])
