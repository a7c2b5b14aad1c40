# SPDX-License-Identifier: GPL-3.0-or-later
# expect: types
import bpy
x: (bpy.types.Object).evil = 1
