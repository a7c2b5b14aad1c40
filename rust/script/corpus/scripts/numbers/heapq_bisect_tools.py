# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy, heapq, bisect, statistics, copy
from typing import NamedTuple, Optional

class Item(NamedTuple):
    priority: float
    name: str
    loc: tuple[float, float, float] = (0, 0, 0)

items: list[Item] = []
for i in range(10):
    heapq.heappush(items, Item((i * 7) % 10 / 10, f"pt{i}", (i, 0, 0)))
order = [heapq.heappop(items) for _ in range(len(items))]
levels = [0.25, 0.5, 0.75]
sizes = []
for it in order:
    k = bisect.bisect_right(levels, it.priority)
    bpy.ops.mesh.primitive_circle_add(vertices=5 + k, radius=0.2 + it.priority, location=it.loc, fill_type='NGON')
    bpy.context.object.name = it.name
    sizes.append(bpy.context.object.dimensions.x)
settings = {"a": [1, 2], "b": {"c": 3}}
clone = copy.deepcopy(settings)
clone["b"]["c"] = 4
first: Optional[Item] = order[0] if order else None
print(round(statistics.mean(sizes), 3), round(statistics.stdev(sizes), 3), statistics.median(sizes) > 0, settings != clone, first._asdict() if first else None)
