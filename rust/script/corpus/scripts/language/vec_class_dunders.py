# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy, math

class Vec2:
    __slots__ = ("x", "y")

    def __init__(self, x=0.0, y=0.0):
        self.x, self.y = x, y
    def __add__(self, o): return Vec2(self.x + o.x, self.y + o.y)
    def __sub__(self, o): return Vec2(self.x - o.x, self.y - o.y)
    def __mul__(self, k): return Vec2(self.x * k, self.y * k)
    __rmul__ = __mul__
    def __neg__(self): return self * -1
    def __iter__(self):
        yield self.x
        yield self.y
    def __len__(self): return 2
    def __getitem__(self, i): return (self.x, self.y)[i]
    def __eq__(self, o): return isinstance(o, Vec2) and math.isclose(self.x, o.x) and math.isclose(self.y, o.y)
    def __hash__(self): return hash((round(self.x, 6), round(self.y, 6)))
    def __abs__(self): return math.hypot(self.x, self.y)
    def __bool__(self): return bool(self.x or self.y)
    def __contains__(self, v): return v in (self.x, self.y)
    def __call__(self, z=0.0): return (self.x, self.y, z)
    def __repr__(self): return f"Vec2({self.x:g}, {self.y:g})"
    @classmethod
    def polar(cls, r, a): return cls(r * math.cos(a), r * math.sin(a))
    @staticmethod
    def lerp(a, b, t): return a + (b - a) * t

ring = [Vec2.polar(2, k * math.tau / 8) for k in range(8)]
mids = [Vec2.lerp(a, b, 0.5) for a, b in zip(ring, ring[1:] + ring[:1])]
for v in {*ring, *mids}:
    bpy.ops.object.empty_add(type='PLAIN_AXES', radius=0.2, location=v(0.5))
x, y = ring[1]
print(len({*ring, *mids}), abs(ring[3]), -ring[0], 2 * ring[0], ring[0] == Vec2(2, 0), bool(Vec2()), 2 in Vec2(2, 1), x, y)
