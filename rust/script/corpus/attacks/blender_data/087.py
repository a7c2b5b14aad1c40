# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
x, *bpy.context.scene.render.filepath = [1, 2]
