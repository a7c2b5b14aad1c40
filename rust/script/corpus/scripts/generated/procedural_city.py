# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy, random
random.seed(99)
mats = []
for i, c in enumerate([(0.3, 0.3, 0.35), (0.5, 0.45, 0.4), (0.2, 0.25, 0.3)]):
    m = bpy.data.materials.new(f"Facade {i}")
    m.diffuse_color = (*c, 1)
    m.roughness = 0.7
    mats.append(m)
city = bpy.data.collections.new("City")
bpy.context.scene.collection.children.link(city)
def building(x, y, w, h):
    v = [(dx * w, dy * w, z) for z in (0, h) for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    f = [(0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    me = bpy.data.meshes.new("Building")
    me.from_pydata(v, [], f)
    me.materials.append(random.choice(mats))
    ob = bpy.data.objects.new("Building", me)
    ob.location = x, y, 0
    city.objects.link(ob)
    return ob
heights = [building(x * 3, y * 3, 1, random.uniform(2, 9)).dimensions.z for x in range(4) for y in range(4)]
bpy.context.view_layer.update()
print(len(city.objects), round(max(o.dimensions.z for o in city.objects), 2))
