# SPDX-License-Identifier: GPL-3.0-or-later
# expect: types
import bpy
bpy.types.Object.evil = property(print)
