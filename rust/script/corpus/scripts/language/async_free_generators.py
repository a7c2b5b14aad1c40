# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
from itertools import chain, cycle, islice, accumulate, pairwise, zip_longest, groupby, starmap, permutations, combinations
def walk(n):
    x = 0
    while True:
        sent = yield x
        x += sent if sent else n
g = walk(2)
next(g)
steps = [g.send(k) for k in (1, 2, 3)] + list(islice(g, 3))
g.close()
colors = cycle(("red", "green"))
pairs = list(zip(range(4), colors))
acc = list(accumulate([1, 2, 3, 4], lambda a, b: a * b))
diffs = [b - a for a, b in pairwise(acc)]
flat = list(chain.from_iterable([[1], [2, 3], []]))
names = sorted(["cube.a", "cube.b", "ball.a"])
grouped = {k: list(v) for k, v in groupby(names, key=lambda s: s.split(".")[0])}
combos = list(combinations("abc", 2))
for i, (a, b) in enumerate(combos):
    bpy.ops.mesh.primitive_cube_add(size=0.5, location=(i, ord(a) - 97, ord(b) - 97))
print(steps, pairs, diffs, flat, grouped, len(list(permutations(range(4)))), list(zip_longest("ab", "c", fillvalue="-")), list(starmap(pow, [(2, 3)])))
first_light = next((o for o in bpy.data.objects if o.type == 'LIGHT'), None)
print(first_light and first_light.data.type)
