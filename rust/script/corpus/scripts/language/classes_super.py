# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
import bpy
from abc import ABC, abstractmethod
from typing import ClassVar, Iterable, Protocol, NamedTuple, TypeVar, Generic, Callable, Any
T = TypeVar("T")
class Size(NamedTuple):
    w: float
    d: float = 1.0
    @property
    def area(self): return self.w * self.d
class Registry(Generic[T]):
    def __init__(self): self._items: dict[str, T] = {}
    def add(self, name: str, item: T) -> T:
        self._items[name] = item
        return item
    def __len__(self): return len(self._items)
    def __iter__(self): return iter(self._items.items())
    def __contains__(self, n): return n in self._items
class Part(ABC):
    count: ClassVar[int] = 0
    def __init__(self, name: str, size: Size):
        self.name, self.size = name, size
        type(self).count += 1
        Part.count += 1
    @abstractmethod
    def build(self) -> bpy.types.Object: ...
    def __repr__(self): return f"{self.__class__.__name__}({self.name})"
    def __lt__(self, other): return self.size.area < other.size.area
class Wall(Part):
    def __init__(self, name, size, height=2.0):
        super().__init__(name, size)
        self.height = height
    def build(self):
        bpy.ops.mesh.primitive_cube_add(size=1)
        o = bpy.context.object
        o.name, o.dimensions = self.name, (self.size.w, self.size.d, self.height)
        return o
class Door(Wall):
    def build(self):
        o = super().build()
        o.display_type = "WIRE"
        return o
reg: Registry[Part] = Registry()
for cls, n in ((Wall, "W"), (Door, "D")):
    reg.add(n, cls(n, Size(4 if cls is Wall else 1, 0.2)))
print(len(reg), sorted(p for _, p in reg), "W" in reg, [p.build().name for _, p in reg])
