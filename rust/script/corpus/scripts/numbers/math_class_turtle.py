# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
import math


class Turtle:
    """Walks in a plane and remembers where it was."""

    count = 0

    def __init__(self, x=0.0, y=0.0):
        self.x = x
        self.y = y
        self.heading = 0.0
        self._trace = [(x, y, 0.0)]
        Turtle.count += 1

    def forward(self, distance):
        self.x += math.cos(self.heading) * distance
        self.y += math.sin(self.heading) * distance
        self._trace.append((self.x, self.y, 0.0))
        return self

    def left(self, degrees):
        self.heading += math.radians(degrees)
        return self

    @property
    def trace(self):
        return list(self._trace)

    @staticmethod
    def edges(points):
        return [(i, i + 1) for i in range(len(points) - 1)]

    def __repr__(self):
        return f"Turtle({self.x:.2f}, {self.y:.2f})"


t = Turtle()
for i in range(60):
    t.forward(i * 0.1).left(91)
me = bpy.data.meshes.new("Trace")
me.from_pydata(t.trace, Turtle.edges(t.trace), [])
bpy.context.collection.objects.link(bpy.data.objects.new("Trace", me))
print(t, Turtle.count)
