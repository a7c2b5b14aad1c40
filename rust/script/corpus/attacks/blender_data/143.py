# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
print(bpy.context.object.bl_rna.__class__, bpy.types.Object.bl_rna.base)
bpy.types.Scene.bl_rna.name = "x"
