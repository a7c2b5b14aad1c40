# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

bpy.ops.mesh.primitive_plane_add(size=30)
bpy.ops.rigidbody.object_add()
bpy.context.object.rigid_body.type = 'PASSIVE'
for i in range(8):
    bpy.ops.mesh.primitive_cube_add(size=1, location=(i * 0.8, 0, 1))
    d = bpy.context.object
    d.scale = (0.1, 0.5, 1)
    bpy.ops.object.transform_apply(location=False, scale=True)
    bpy.ops.rigidbody.object_add(type='ACTIVE')
    d.rigid_body.mass = 1 + i
    d.rigid_body.friction = 0.4
bpy.context.scene.rigidbody_world.point_cache.frame_end = 100
