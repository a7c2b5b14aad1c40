# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.context.object.particle_systems[0].point_cache.filepath = '/x'
