# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
scene = bpy.context.scene
bpy.ops.mesh.primitive_plane_add(size=10, location=(0, 0, -2))
bpy.ops.rigidbody.object_add(type="PASSIVE")
for i in range(3):
    bpy.ops.mesh.primitive_cube_add(size=0.8, location=(i * 0.3, 0, i * 1.2 + 2))
    bpy.ops.rigidbody.object_add()
    rb = bpy.context.object.rigid_body
    rb.mass = 2 + i
    rb.friction = 0.6
    rb.restitution = 0.2
    rb.collision_shape = "BOX"
scene.rigidbody_world.time_scale = 1.0
scene.rigidbody_world.enabled = True
print(len(scene.rigidbody_world.collection.objects), bpy.context.object.rigid_body.mass)
