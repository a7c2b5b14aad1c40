# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

for i in range(5):
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, 2 + i * 2.1))
    bpy.ops.rigidbody.object_add()
    body = bpy.context.object.rigid_body
    body.mass = 2
    body.friction = 0.6
bpy.ops.mesh.primitive_plane_add(size=20)
bpy.ops.rigidbody.object_add(type='PASSIVE')
