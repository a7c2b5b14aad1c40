# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from mathutils import Vector
import math

def point_at(obj, target):
    direction = target - obj.location
    obj.rotation_euler = direction.to_track_quat('-Z', 'Y').to_euler()

target = Vector((0.0, 0.0, 0.5))
setup = {
    "Key": dict(kind='AREA', energy=800, loc=(4, -4, 5), size=2.0, color=(1, 0.95, 0.9)),
    "Fill": dict(kind='AREA', energy=250, loc=(-5, -3, 3), size=4.0, color=(0.8, 0.9, 1)),
    "Rim": dict(kind='SPOT', energy=1200, loc=(0, 5, 4), size=None, color=(1, 1, 1)),
}
for name, cfg in setup.items():
    data = bpy.data.lights.new(name=f"{name}_Light", type=cfg["kind"])
    data.energy = cfg["energy"]
    data.color = cfg["color"]
    if cfg["kind"] == 'AREA':
        data.shape = 'DISK'
        data.size = cfg["size"]
    else:
        data.spot_size = math.radians(45)
        data.spot_blend = 0.3
    obj = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(obj)
    obj.location = cfg["loc"]
    point_at(obj, target)
print("lights:", ", ".join(sorted(setup)))
