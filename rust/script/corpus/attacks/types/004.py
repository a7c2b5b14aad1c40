# SPDX-License-Identifier: GPL-3.0-or-later
# expect: types
import bpy
bpy.types.Operator.bl_rna
