# SPDX-License-Identifier: GPL-3.0-or-later
"""The second check alone: code compiled from texts that the first check would refuse."""

from __future__ import annotations

import dis
import sys

import geonode_core as core
import pytest
from geonode_assistant.scripting import bytecode_check, policy

REFUSED = {
    "import": "import subprocess",
    "import from": "from bpy import context as c, app\nfrom math import __loader__",
    "star import": "from math import *",
    "attribute": "x = ().__class__",
    "stored attribute": "import bpy\nbpy.context.object.__dict__ = 1",
    "deleted attribute": "import bpy\ndel bpy.context.object.driver_namespace",
    "method": "'{0.real}'.format_map",
    "attribute of super": "class A:\n    def f(self):\n        return super().__subclasses__()",
    "name": "open('x')",
    "name in a function": "def f():\n    return globals()",
    "name in a class": "class A:\n    x = eval",
    "name in a default": "def f(x=lambda: vars):\n    pass",
    "stored name": "__builtins__ = 1",
    "global name": "def f():\n    global __name__\n    __builtins__ = 1",
    "cell": "def f():\n    __import__ = 1\n    return lambda: __import__",
    "async function": "async def f():\n    pass",
    "async generator": "async def f():\n    yield 1",
    "exception group": "try:\n    x = 1\nexcept* ValueError:\n    x = 2",
    "class pattern": "match 1:\n    case int(__class__=x):\n        pass",
    "enormous number": f"x = 1 << 1\ny = {1 << 9000:#x}",
    "far behind": "x = 1\n" * 400 + "\n".join(f"name{n} = {n}" for n in range(400)) + "\nx = ().__class__",
}
NEWER = {"template": ((3, 14), "x = 1\ny = t'{x}'")}
ALLOWED = """
from __future__ import annotations
import math
import bpy
from mathutils import Vector


class Part:
    count: int = 0

    def __init__(self, size=2, *rest, key=None, **named):
        super().__init__()
        self.size = size

    def total(self):
        return sum(n * self.size for n in range(3) if n) + len([n for n in (1, 2)]) + max({n: n for n in (1, 2)})


def outer(n):
    def inner():
        nonlocal n
        n += 1
        return n

    return inner


part = Part(3)
part.size += 1
first, *others = sorted((3, 1, 2), key=lambda n: -n)
for at, n in enumerate(others):
    while n > 2:
        n -= 1
    else:
        assert at >= 0, f"{at:>3} and {n!r}"
try:
    x = 1 / part.total()
except (ZeroDivisionError, ValueError) as error:
    raise RuntimeError("no") from error
finally:
    x = -5 if part.size else 1_000_000
match first:
    case 3 | 4 if x:
        del x
    case [a, *_]:
        print(a)
    case {"k": b, **c}:
        print(b, c)
    case int():
        print("int")
bpy.context.scene.frame_current = int(math.floor(2.5)) + (outer(1)() if others else 0)
bpy.data.objects["Cube"].location = Vector((1, 2, 3)) @ Vector((0, 0, 1)) * Vector((1, 1, 1))
"""


def refusal(source: str) -> str:
    """The reason for which the compiled text is refused; empty if it is not."""
    code = compile(source, "<script>", "exec", dont_inherit=True, optimize=0)
    try:
        bytecode_check.check(code, policy.policy(), frozenset({"size", "total", "count"}))
    except core.PolicyError as error:
        assert error.code == "script_mismatch"
        return str(error)
    return ""


@pytest.mark.parametrize("kind", REFUSED)
def test_code_that_is_not_listed_is_refused(kind: str) -> None:
    assert refusal(REFUSED[kind])


@pytest.mark.parametrize("kind", NEWER)
def test_instructions_of_newer_pythons_are_refused(kind: str) -> None:
    since, source = NEWER[kind]
    if sys.version_info < since:
        with pytest.raises(SyntaxError):
            compile(source, "<script>", "exec")
    else:
        assert refusal(source)


def test_ordinary_code_passes() -> None:
    assert refusal(ALLOWED) == ""


def test_every_instruction_that_acts_on_a_name_is_known() -> None:
    """Fails if a newer Python has others, or stores more flags next to the name: the check must then be extended."""
    acting = {name for name, number in dis.opmap.items() if number in dis.hasname and number < 256}
    known = {
        "DELETE_ATTR", "DELETE_GLOBAL", "DELETE_NAME", "IMPORT_FROM", "IMPORT_NAME", "LOAD_ATTR",
        "LOAD_FROM_DICT_OR_GLOBALS", "LOAD_GLOBAL", "LOAD_METHOD", "LOAD_NAME", "LOAD_SUPER_ATTR", "STORE_ATTR",
        "STORE_GLOBAL", "STORE_NAME",
    }  # fmt: skip
    assert {name for name in acting if not name.startswith("INSTRUMENTED_")} <= known
