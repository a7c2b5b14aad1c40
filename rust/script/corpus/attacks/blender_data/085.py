# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
[1 for bpy.context.scene.render.filepath in ['x']]
