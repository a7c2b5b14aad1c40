# SPDX-License-Identifier: GPL-3.0-or-later
"""The rooms of the add-on, read from its sources: no circle, no arrow against the map, one place for Blender's data."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "addon" / "geonode_assistant"
MAP = ROOT / "rust" / "ARCHITECTURE.md"


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the add-on by its dotted name inside the package, parsed; a package is named like its folder."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts)] = ast.parse(path.read_text(encoding="utf-8"), str(path))
    assert len(found) > 50, f"only {len(found)} modules were examined"
    return found


def imports(name: str) -> Iterator[str]:
    """The modules that a module names in any import statement, including those for types only."""
    folder = name.split(".")[:-1]
    for node in ast.walk(modules()[name]):
        if isinstance(node, ast.Import):
            bases = [alias.name.split(".") for alias in node.names]
            wanted = [(base[1:], "") for base in bases if base[0] == PACKAGE.name]
        elif isinstance(node, ast.ImportFrom):
            base = (node.module or "").split(".") if node.module else []
            if node.level:
                assert node.level - 1 <= len(folder), f"{name}: an import from outside of the package"
                base = folder[: len(folder) - node.level + 1] + base
            elif base[:1] == [PACKAGE.name]:
                base = base[1:]
            else:
                continue
            wanted = [(base, alias.name) for alias in node.names]
        else:
            continue
        for base, last in wanted:
            yield module_of(name, base, last)


def module_of(importer: str, base: list[str], last: str) -> str:
    """The module that ``from base import last`` reads: a module of the folder, else the folder's own, else the file."""
    for parts in ([*base, last], [*base, last, "__init__"], base, [*base, "__init__"]):
        if ".".join(parts) in modules():
            return ".".join(parts)
    raise AssertionError(f"{importer} imports {'.'.join(base)}.{last}, which is not there")


@cache
def arrows() -> frozenset[tuple[str, str]]:
    """Who imports whom."""
    found = {(name, other) for name in modules() for other in imports(name) if name != other}
    assert len(found) > 100, f"only {len(found)} imports were examined"
    return frozenset(found)


def circle(arrows: set[tuple[str, str]]) -> list[str]:
    """The rooms that remain after removing, again and again, those without outgoing arrows: empty without a circle."""
    left = {end for arrow in arrows for end in arrow}
    while True:
        held = {a for a, b in arrows if a in left and b in left and a != b}
        if held == left:
            return sorted(left)
        left = held


def test_the_check_for_circles_finds_them() -> None:
    assert circle({("a", "b"), ("b", "c"), ("a", "c")}) == []
    assert circle({("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")}) == ["a", "b", "c"]


def test_no_files_import_each_other_in_a_circle() -> None:
    assert circle(set(arrows())) == []


def test_no_folders_import_each_other_in_a_circle() -> None:
    """Within each folder, each file counts as one node, and so does each subfolder with all its content."""
    folders = {tuple(name.split(".")[:depth]) for name in modules() for depth in range(name.count(".") + 1)}
    assert len(folders) > 5
    for folder in folders:
        depth = len(folder)
        inside = [(a.split("."), b.split(".")) for a, b in arrows()]
        inner = {
            (a[depth], b[depth])
            for a, b in inside
            if tuple(a[:depth]) == folder == tuple(b[:depth]) and a[depth] != b[depth]
        }
        assert circle(inner) == [], f"in {'.'.join(folder) or PACKAGE.name}"


def directions() -> dict[str, set[str]]:
    """The block ``wings`` of the map: a room of the add-on, an arrow, the rooms that it may import."""
    text = MAP.read_text(encoding="utf-8").partition("```wings\n")[2].partition("```")[0]
    lines = [line.partition("→") for line in text.splitlines()]
    assert all(arrow for _, arrow, _ in lines)
    return {room.strip(): set(others.split()) for room, _, others in lines}


def test_rooms_import_only_in_the_directions_of_the_map() -> None:
    allowed = directions()
    assert circle({(room, other) for room, others in allowed.items() for other in others}) == []
    # Blender's two entries hand over and know nothing.
    entries = {"__init__", "__main__"}
    assert {name.split(".")[0] for name in modules()} - entries == allowed.keys()
    used = {(a.split(".")[0], b.split(".")[0]) for a, b in arrows()}
    wrong = {(a, b) for a, b in used if a != b and a not in entries and b not in allowed[a]}
    assert wrong == set()


def touches(tree: ast.Module) -> Iterator[str]:
    """Where code uses ``bpy.data`` or ``bpy.ops``, under whatever name it imports ``bpy``."""
    names = {"bpy"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "bpy" and alias.asname:
                    names.add(alias.asname)
                if alias.name.startswith(("bpy.data", "bpy.ops")):
                    yield f"line {node.lineno}: import {alias.name}"
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "bpy":
            for alias in node.names:
                if f"{node.module}.{alias.name}".startswith(("bpy.data", "bpy.ops")):
                    yield f"line {node.lineno}: from {node.module} import {alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if node.attr == "blend_data":
                yield f"line {node.lineno}: blend_data"
            elif node.attr in ("data", "ops") and isinstance(node.value, ast.Name) and node.value.id in names:
                yield f"line {node.lineno}: bpy.{node.attr}"


def test_the_check_for_blenders_data_finds_it() -> None:
    for code in (
        "bpy.data.objects",
        "bpy.ops.ed.undo()",
        "from bpy import ops",
        "import bpy as b\nb.data",
        "c.blend_data",
    ):
        assert list(touches(ast.parse(code))), code
    assert not list(touches(ast.parse("import bpy\nbpy.types.Object\nmesh.data\nbpy.context.object.data")))


def test_only_the_host_touches_blenders_data() -> None:
    found = {name: list(touches(tree)) for name, tree in modules().items()}
    assert sum(len(places) for name, places in found.items() if name.startswith("host.")) > 50
    assert {name: places for name, places in found.items() if places and not name.startswith("host.")} == {}
