# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
from math import radians
target = bpy.data.objects.new("Target", None)
bpy.context.scene.collection.objects.link(target)
target.location = (2, 2, 2)
cube = bpy.context.object
specs = [
    ('COPY_LOCATION', dict(influence=0.5, use_offset=True)),
    ('COPY_ROTATION', dict(mix_mode='ADD', invert_z=True)),
    ('LIMIT_DISTANCE', dict(distance=5.0, limit_mode='LIMITDIST_INSIDE')),
    ('DAMPED_TRACK', dict(track_axis='TRACK_Z')),
    ('LIMIT_ROTATION', dict(use_limit_z=True, min_z=radians(-45), max_z=radians(45), owner_space='LOCAL')),
    ('MAINTAIN_VOLUME', {}),
    ('FLOOR', dict(offset=0.2)),
    ('TRANSFORM', dict(map_from='LOCATION', map_to='ROTATION')),
]
for kind, settings in specs:
    c = cube.constraints.new(kind)
    if hasattr(c, "target"):
        c.target = target
    for k, v in settings.items():
        setattr(c, k, v)
cube.constraints.move(len(cube.constraints) - 1, 0)
cube.constraints.remove(cube.constraints["Maintain Volume"])
print([c.type for c in cube.constraints])
