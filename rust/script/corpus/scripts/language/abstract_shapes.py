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


class Spike(Shape):
    def add(self, location):
        bpy.ops.mesh.primitive_cone_add(radius1=self.size / 2, depth=self.size, location=location)


for x, shape in enumerate([Box(1), Spike(1.5), Box(0.5)]):
    shape.add((x * 2, 0, 0))
