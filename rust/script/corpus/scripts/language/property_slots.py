# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
class Node:
    __slots__ = ("obj", "children", "_depth")
    def __init__(self, obj, depth=0):
        self.obj, self._depth = obj, depth
        self.children = []
    @property
    def depth(self): return self._depth
    @depth.setter
    def depth(self, value):
        if value < 0: raise ValueError("depth")
        self._depth = value
    @classmethod
    def of(cls, name): return cls(bpy.data.objects[name])
    @staticmethod
    def kinds(): return {o.type for o in bpy.data.objects}
    def add(self, child):
        child.obj.parent = self.obj
        child.depth = self.depth + 1
        self.children.append(child)
        return self
    def walk(self):
        yield self
        for c in self.children: yield from c.walk()
root = Node.of("Cube").add(Node.of("Light")).add(Node.of("Camera"))
print([(n.obj.name, n.depth) for n in root.walk()], sorted(Node.kinds()))
try: root.depth = -1
except ValueError as e: print(e)
