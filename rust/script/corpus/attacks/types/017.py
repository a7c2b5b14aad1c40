# SPDX-License-Identifier: GPL-3.0-or-later
# expect: types
import bpy
bpy.types.VIEW3D_MT_add.append(lambda s, c: None)
