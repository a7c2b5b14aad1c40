# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.context.scene.cycles.use_auto_generate_texture_cache = True
