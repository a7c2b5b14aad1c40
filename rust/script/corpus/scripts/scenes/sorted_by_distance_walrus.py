# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from operator import itemgetter
from functools import partial, reduce

def dist(origin, o):
    return (o.location - origin).length

cam = bpy.context.scene.camera
order = sorted(((o.name, dist(cam.location, o)) for o in bpy.data.objects if o is not cam), key=itemgetter(1))
if (n := len(order)) > 1:
    print(n, order[0][0])
d = partial(dist, cam.location)
print(round(reduce(lambda a, b: a + b, map(d, bpy.data.objects), 0.0), 3), any(k > 5 for _, k in order), all(isinstance(x, str) for x, _ in order))
