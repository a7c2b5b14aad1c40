# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
with bpy.context.temp_override() as bpy.context.scene.render.filepath:
    pass
