# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import Vector


def look_at(obj, target):
    direction = Vector(target) - obj.location
    obj.rotation_euler = direction.to_track_quat('-Z', 'Y').to_euler()


cam = bpy.context.scene.camera
if cam:
    look_at(cam, (0, 0, 1))
