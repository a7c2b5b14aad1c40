# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from collections import defaultdict, Counter, deque, namedtuple, OrderedDict, ChainMap
by_type = defaultdict(list)
for o in bpy.data.objects:
    by_type[o.type].append(o.name)
print(dict(sorted(by_type.items())), Counter(o.type for o in bpy.data.objects).most_common(1))
Point = namedtuple("Point", "x y z", defaults=(0,))
p = Point(1, 2)._replace(z=5)
print(p, p._asdict(), Point._fields, Point._make([1, 2, 3]))
queue, seen = deque([bpy.context.scene.collection]), OrderedDict()
while queue:
    c = queue.popleft()
    seen[c.name] = len(c.objects)
    queue.extend(c.children)
d = deque(range(5), maxlen=3); d.rotate(1); d.appendleft(9)
print(list(d), seen, ChainMap({"a": 1}, {"a": 2, "b": 3})["b"], Counter("hello") + Counter("lo"))
seen.move_to_end(next(iter(seen)))
