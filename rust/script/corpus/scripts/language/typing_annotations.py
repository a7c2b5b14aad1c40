# SPDX-License-Identifier: GPL-3.0-or-later
# expect: ok
from __future__ import annotations
import bpy
from typing import Optional, Union, Literal, TypedDict, Final, Sequence, Iterator, TYPE_CHECKING, cast, overload
if TYPE_CHECKING:
    from mathutils import Vector
LIMIT: Final = 3
Kind = Literal["a", "b"]
class Row(TypedDict, total=False):
    name: str
    size: float
def rows(objs: Sequence[bpy.types.Object], limit: int | None = None) -> Iterator[Row]:
    for o in list(objs)[:limit]:
        yield {"name": o.name, "size": max(o.dimensions)}
def first(objs: Optional[list] = None, kind: Kind = "a") -> Union[str, None]:
    return objs[0].name if objs else None
found: list[Row] = sorted(rows(bpy.data.objects, LIMIT), key=lambda r: -r["size"])
print([r["name"] for r in found][:1], first(None), cast(int, "x"))
def origin(v: Vector) -> float: return v.length
print(round(origin(bpy.data.objects["Cube"].location), 2))
