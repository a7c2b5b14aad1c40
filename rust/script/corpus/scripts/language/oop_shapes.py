# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok in 4.5 5.2
import bpy
from abc import ABC, abstractmethod
from math import pi

class Shape(ABC):
    registry = []

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Shape.registry.append(cls)

    def __init__(self, name, location=(0, 0, 0)):
        self._name = name
        self.location = location
        self._obj = None

    @property
    def name(self):
        return self._name

    @name.setter
    def name(self, value):
        if not value:
            raise ValueError("name must not be empty")
        self._name = value

    @abstractmethod
    def volume(self) -> float: ...

    @abstractmethod
    def build(self): ...

    def __lt__(self, other):
        return self.volume() < other.volume()

    def __str__(self):
        return f"<{self.__class__.__name__} {self.name} V={self.volume():.2f}>"

class Ball(Shape):
    def __init__(self, name, radius=1.0, **kw):
        super().__init__(name, **kw)
        self.radius = radius
    def volume(self):
        return 4 / 3 * pi * self.radius ** 3
    def build(self):
        bpy.ops.mesh.primitive_uv_sphere_add(radius=self.radius, location=self.location)
        self._obj = bpy.context.object
        self._obj.name = self.name
        return self._obj

class Box(Shape):
    def __init__(self, name, dims=(1, 1, 1), **kw):
        super().__init__(name, **kw)
        self.dims = dims
    def volume(self):
        x, y, z = self.dims
        return x * y * z
    def build(self):
        bpy.ops.mesh.primitive_cube_add(size=1, location=self.location)
        self._obj = bpy.context.object
        self._obj.scale = self.dims
        self._obj.name = self.name
        return self._obj

shapes = [Ball("ball", 0.8, location=(0, 0, 0)), Box("crate", (1, 2, 1), location=(3, 0, 0)), Ball("dot", 0.2, location=(0, 3, 0))]
for s in sorted(shapes, reverse=True):
    s.build()
    print(s)
try:
    shapes[0].name = ""
except ValueError as exc:
    print("caught", exc)
print([c.__name__ for c in Shape.registry])
