# SPDX-License-Identifier: GPL-3.0-or-later
# expect: bounds
import bpy
bpy.ops.mesh.primitive_uv_sphere_add(segments=10**6, ring_count=10**6)
