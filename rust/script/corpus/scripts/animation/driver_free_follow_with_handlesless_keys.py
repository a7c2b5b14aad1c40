# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

leader = bpy.data.objects["Cube"]
followers = []
for i in range(3):
    o = leader.copy()
    o.data = leader.data.copy()
    o.name = f"Follower{i}"
    bpy.context.collection.objects.link(o)
    followers.append(o)
for f in range(1, 31, 5):
    leader.location.x = f * 0.1
    leader.keyframe_insert("location", index=0, frame=f)
    for i, o in enumerate(followers, start=1):
        o.location = leader.location
        o.location.y += 3 * i
        o.keyframe_insert("location", frame=f + 5 * i)
print([o.name for o in followers])
