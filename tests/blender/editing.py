# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of the artist's trees by plans, judged by RNA alone: what a plan does not name stays as it is to the bit, the
same plan again changes nothing, a fault leaves the file as it was, and undo and redo are exact.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import bpy
import pytest
from geonode_assistant import api
from geonode_assistant.host import apply
from geonode_assistant.run import session
from geonode_assistant.run.report import RunReport

sys.path.append(str(Path(__file__).parents[1] / "host"))

import raw  # noqa: E402

__all__ = ["edit", "gn_ops", "load", "put_on_plane", "shipped_names", "trees"]

OBJECT, MODIFIER = "Plane", "Edited"


def shipped_names() -> Iterator[tuple[Path, str]]:
    """Asset file and name of every geometry tree that this Blender ships."""
    root = Path(bpy.utils.resource_path("LOCAL")) / "datafiles" / "assets"
    for path in sorted(root.glob("**/*.blend")):
        if "brushes" in path.parts:
            continue
        with bpy.data.libraries.load(str(path)) as (available, _):
            names = list(available.node_groups)
        yield from ((path, name) for name in names)


def load(path: Path, name: str) -> Any:
    """The shipped tree in a fresh file, with all that it uses; None if it is not a geometry tree."""
    session.current.reset("")
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    with bpy.data.libraries.load(str(path)) as (_, wanted):
        wanted.node_groups = [name]
    tree = bpy.data.node_groups[name]
    return tree if tree.bl_idname == "GeometryNodeTree" else None


def put_on_plane(tree: Any) -> Any:
    """A plane whose only modifier runs the tree."""
    if OBJECT not in bpy.data.objects:
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4)
        bpy.context.object.name = OBJECT
    bpy.data.objects[OBJECT].modifiers.clear()
    modifier = bpy.data.objects[OBJECT].modifiers.new(MODIFIER, "NODES")
    modifier.node_group = tree
    bpy.context.view_layer.update()
    return modifier


def gn_ops(*ops: dict[str, Any], version: str = "1.2", **more: Any) -> dict[str, Any]:
    """A plan that edits the tree on the plane."""
    payload = {"v": 1, "target": {"object_name": OBJECT, "modifier_name": MODIFIER, **more}, "ops": list(ops)}
    step = {"id": "edit", "type": "GN_OPS", "description": "Edit", "payload": payload}
    return {"version": version, "steps": [step], "done": True, "final_message": "Edited."}


# What Blender derives for a socket from the links and values around it.
_DERIVED = ("is_linked", "is_inactive", "inferred_structure_type", "display_shape", "is_unavailable")


def trees() -> dict[str, Any]:
    """The whole RNA state of the tree on the plane and of all that are nested in it, without what is derived."""
    states = raw.tree_state(bpy.data.objects[OBJECT].modifiers[MODIFIER].node_group)
    for state in states.values():
        for node in state["nodes"]:
            for socket in (*node["inputs"], *node["outputs"]):
                for name in _DERIVED:
                    socket.pop(name, None)
    return states


def untouched(state: dict[str, Any], named: Collection[str]) -> dict[str, Any]:
    """The part of a tree's state that an edit of the named nodes must leave alone."""
    nodes = {node["name"]: node for node in state["nodes"] if node["name"] not in named}
    links = [link for link in state["links"] if link[0] not in named and link[2] not in named]
    return {**state, "nodes": nodes, "links": links}


def run(plan: dict[str, Any]) -> RunReport:
    return api.apply_plan(plan, approve="all", settings={"allow_empty_result": True})


def found(report: RunReport) -> str:
    return "; ".join(f"{m['code']}: {m['text']}" for m in report.messages)


def edit(
    plan: dict[str, Any],
    named: dict[str, set[str]],
    *,
    new: Collection[str] = (),
    interface: Collection[str] = (),
) -> str | None:
    """Why the edit is not as it must be, or None. `named` are the names of the nodes that may change, by tree; other
    trees may not change at all, only the trees in `new` may appear, and only those in `interface` change theirs.
    """
    before = trees()
    for place in ("_open", "run"):
        wrong = _fault(plan, before, place)
        if wrong:
            return wrong
    bpy.ops.ed.undo_push(message="Before")
    report = run(plan)
    if report.status != "done":
        return f"refused: {found(report)}" + ("" if trees() == before else " AND CHANGED")
    after = trees()
    if set(after) != set(before) | set(new):
        return f"trees appeared or vanished: {set(after) ^ set(before)}"
    for name, state in before.items():
        if name not in named and name not in interface and not list(raw.differences(state, after[name])):
            continue
        free = named.get(name, set())
        old, now = untouched(state, free), untouched(after[name], free)
        if name in interface:
            old["interface"] = now["interface"] = []
        if name in named:
            now["nodes"] = {node: now["nodes"].get(node) for node in old["nodes"]}
            now["links"] = [link for link in now["links"] if link in old["links"]]
        differences = list(raw.differences(old, now))
        if differences:
            return f"{name} differs where nothing was named: {differences[:3]}"
    for step, expected in ((bpy.ops.ed.undo, before), (bpy.ops.ed.redo, after)):
        step()
        differences = list(raw.differences(expected, trees()))
        if differences:
            return f"{step.idname_py()} is not exact: {differences[:3]}"
    again = run(plan)
    if again.status != "done":
        return f"refused the second time: {found(again)}"
    differences = list(raw.differences(after, trees()))
    return f"the same plan again changes {differences[:3]}" if differences else None


def _fault(plan: dict[str, Any], before: dict[str, Any], place: str) -> str | None:
    """Applies the plan with a fault when a tree was opened, or after its whole edit; the file must be as before."""
    usual = getattr(apply.TreeEdit, place)

    def broken(self: Any, *arguments: Any) -> None:
        usual(self, *arguments)
        raise MemoryError("injected")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apply.TreeEdit, place, broken)
        report = run(plan)
    if report.status == "done":
        return f"a fault in {place} is not noticed"
    differences = list(raw.differences(before, trees()))
    return f"not restored after a fault in {place}: {differences[:3]}" if differences else None
