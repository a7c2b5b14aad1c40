# SPDX-License-Identifier: GPL-3.0-or-later
import bpy

n = 4000
bpy.ops.mesh.primitive_uv_sphere_add(segments=n, ring_count=n)
