# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
from abc import ABC, abstractmethod

import bpy


class Shape(ABC):
    def __init__(self, size):
        self.size = size

    @abstractmethod
    def add(self, location):
        ...


class Box(Shape):
    def add(self, location):
        bpy.ops.mesh.primitive_cube_add(size=self.size, location=location)


class Ball(Shape):
    def add(self, location):
        bpy.ops.mesh.primitive_uv_sphere_add(radius=self.size / 2, location=location)


for x, shape in enumerate([Box(1), Ball(1.5), Box(0.5)]):
    shape.add((x * 2, 0, 0))
