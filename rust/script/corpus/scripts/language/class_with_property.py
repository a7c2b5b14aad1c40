# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy

class Stack:
    """Blocks on each other."""
    count = 0

    def __init__(self, base_z=0.0, gap=0.1):
        self._z = base_z
        self.gap = gap
        self.items = []

    @property
    def height(self):
        return self._z

    @height.setter
    def height(self, value):
        self._z = max(0.0, value)

    @staticmethod
    def label(i):
        return f"Block {i}"

    @classmethod
    def total(cls):
        return cls.count

    def push(self, size):
        bpy.ops.mesh.primitive_cube_add(size=size, location=(0, 0, self._z + size / 2))
        ob = bpy.context.object
        ob.name = self.label(len(self.items))
        self.items.append(ob)
        self.height += size + self.gap
        Stack.count += 1
        return self

    def __len__(self):
        return len(self.items)

    def __repr__(self):
        return f"<Stack of {len(self)}>"

s = Stack().push(2).push(1.5).push(1)
print(s, round(s.height, 2), Stack.total())
