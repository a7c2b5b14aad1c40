# SPDX-License-Identifier: GPL-3.0-or-later
"""The statements of a script run as the body of a function, and mean what they mean in a module."""

from __future__ import annotations

import types
from typing import Any

import bpy
import geonode_core as core
import pytest
from geonode_assistant import scripting

STATEMENTS = """
from __future__ import annotations
"A text."
import math
import collections.abc
from dataclasses import dataclass
from math import pi as half_turn
x: int = 3
y: list[int]
z: "Missing" = 4
for i in range(3):
    pass
def function(a=x):
    global w
    w = a
    return [i for i in range(a)] + [x]
listed = function()
class A:
    kept = x
    total = 0
    def __init__(self):
        self.parts = [1, 2]
        self.parts[0] += 5
        self.size = 1
        self.size += self.parts[0]
        self.size **= 2
        A.total += 1
    class B:
        pass
    total += 1
names = [repr(A.B), A.__name__, function.__name__]
a = A()
try:
    1 / 0
except ZeroDivisionError as error:
    told = str(error)
evens = [k := v for v in range(5) if v % 2 == 0]
del i
made = [lambda: n for n in range(3)]
last = made[0]()
if (walrus := 3) > 2:
    pass
first, *rest = 1, 2, 3
match (1, {"k": 2}):
    case (one, {"k": two}):
        pass
@dataclass
class Point:
    x: float = 0.0
    y: float = 1.0
point = Point(2.0)
point.x += 1
grid = [[0] * 3 for _ in range(3)]
grid[1][2] += 7
grid[0][-1] -= 1
table = {(1, 2): 1}
table[1, 2] *= 4
order = []
def at(value):
    order.append(value)
    return value
grid[at(2)][at(0)] += at(1)
x += 1
def generated():
    held = {"n": 0}
    while held["n"] < 3:
        held["n"] += 1
        yield held["n"]
total = sum(generated())
text = "".join(sorted("cab"))
words = "a b".split(" ", 1)
number = "{:>4}|{!r}".format(7, "a")
"""


def shown(namespace: dict[str, Any]) -> dict[str, Any]:
    kinds = (types.ModuleType, types.FunctionType, type)
    plain = {name: value for name, value in namespace.items() if not name.startswith("_") and name != "annotations"}
    return {
        name: vars(value) if type(value).__name__ in ("A", "Point") else value
        for name, value in plain.items()
        if not isinstance(value, kinds) and name != "made"
    }


def test_statements_mean_what_they_mean_in_a_module() -> None:
    plain: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(STATEMENTS, "<plain>", "exec"), plain)
    assert shown(scripting.run(STATEMENTS).namespace) == shown(plain)


def test_a_name_of_the_module_can_be_asked_for() -> None:
    assert "b" in scripting.run("b = 1\nfound = dir()").namespace["found"]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def f():\n    return missing_one\nmissing_one = 1\ndel missing_one\nf()", "Line 2: NameError: name 'missing"),
        ("x = 1\n\nx / 0", "Line 3: ZeroDivisionError"),
        ("a = [1]\na[3] += 1", "Line 2: IndexError"),
        ("a = [1]\na.index(\n    5)", "ValueError"),
    ],
)
def test_errors_are_told_where_they_are(source: str, says: str) -> None:
    with pytest.raises(core.CoreError, match=says):
        scripting.run(source)


def test_a_part_is_read_and_set_through_the_guards() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    cube: Any = bpy.context.object
    cube.name = "Cube"
    cube.location = (1, 2, 3)
    scripting.run(
        "import bpy\nob = bpy.data.objects['Cube']\nob.location.x += 1\nob.location *= 2\nob['n'] = 1\nob['n'] += 4"
    )
    assert tuple(cube.location) == (4, 4, 6) and cube["n"] == 5
    with pytest.raises((core.CoreError, core.PolicyError)):
        scripting.run("import bpy\nbpy.data.objects.__len__ += 1")


def test_a_method_is_refused_whether_or_not_it_is_called_at_once() -> None:
    for source in ("f = [].clear\nf.__self__", "import bpy\nbpy.data.user_map()", "import bpy\nbpy.data.as_pointer()"):
        with pytest.raises((core.CoreError, core.PolicyError)):
            scripting.run(source)
