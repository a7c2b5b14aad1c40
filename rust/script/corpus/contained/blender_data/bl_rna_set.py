# SPDX-License-Identifier: GPL-3.0-or-later
import bpy
for p in bpy.types.Scene.bl_rna.properties:
    p.name = "x"
