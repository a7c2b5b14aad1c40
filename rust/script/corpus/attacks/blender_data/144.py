# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.context.object.modifiers[0].point_cache.use_external = True
