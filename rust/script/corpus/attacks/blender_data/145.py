# SPDX-License-Identifier: GPL-3.0-or-later
# expect: attributes
import bpy
bpy.context.scene.rigidbody_world.point_cache.use_library_path = True
