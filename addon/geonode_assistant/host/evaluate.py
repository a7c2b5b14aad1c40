# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures results: the evaluated geometry of objects with instances, node warnings, invalid links ("Evidence")."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Mapping
from typing import Any, cast

import bpy

from . import attributes, context, export, identity, likeness, modifiers, values, worn
from .documents import Evaluated, EvaluatedObject, Evidence, Modifier, Names, ResultBefore, Tree
from .errors import HostError
from .measure import evaluate_object

# Meshes up to this size are measured before a run.
MEASURED_VERTICES = 200_000


class Before:
    """What is known of the file before a run, so that the gates do not blame it for what was wrong already."""

    def __init__(self) -> None:
        self.names = lists()
        self.results: dict[str, ResultBefore] = {}
        self.invalid_links: dict[str, list[list[str]]] = {}
        self._prints: dict[str, int | None] = {}

    def note_links(self, trees: Iterable[Any]) -> None:
        """Records the invalid links of trees that nothing was written to."""
        for tree in trees:
            if found := invalid_links(tree):
                self.invalid_links[values.block_name(tree)] = found

    def note_result(self, obj: Any) -> None:
        """Records what an object shows; nothing if Blender has not evaluated it."""
        if obj.name in self.results or bpy.context.view_layer is None or obj.mode == "EDIT":
            return
        depsgraph = bpy.context.evaluated_depsgraph_get()
        evaluated = obj.evaluated_get(depsgraph)
        if not evaluated.is_evaluated:
            return
        errors = {m.name: _messages(m, "ERROR") for m in obj.modifiers}
        errors = {name: found for name, found in errors.items() if found}
        data = evaluated.data
        if isinstance(data, bpy.types.Mesh) and len(data.vertices) > MEASURED_VERTICES:
            self.results[obj.name] = {"empty": False, "parts": ["mesh"], "finite": True, "errors": errors}
            return
        found = evaluate_object(obj, depsgraph)
        self.results[obj.name] = _result(found, errors)
        self._prints[obj.name] = _print(evaluated, found)

    def shows_same(self, obj: Any, depsgraph: Any, found: Mapping[str, Any]) -> bool:
        """Whether the object, of which this was `found`, shows what it showed before; false where that is not known."""
        seen = self._prints.get(obj.name)
        return seen is not None and seen == _print(obj.evaluated_get(depsgraph), found)


def _result(found: Mapping[str, Any], errors: dict[str, list[str]]) -> ResultBefore:
    instances = found.get("instances", {})
    parts = found.keys() - {"instances", "bounds", "finite"}
    if instances.get("empty", 0) != instances.get("count", 0):
        parts |= {"instances"}
    return {"empty": not parts, "parts": sorted(parts), "finite": found["finite"], "errors": errors}


def _print(evaluated: Any, found: Mapping[str, Any]) -> int | None:
    if not hasattr(evaluated, "evaluated_geometry") and found.keys() - {"mesh", "bounds", "finite", "ms"}:
        return None  # 4.2 shows only the mesh to Python
    return likeness.of(evaluated)


def _messages(modifier: Any, kind: str) -> list[str]:
    return [found.message for found in getattr(modifier, "node_warnings", ()) if found.type == kind]


def evidence(objects: Iterable[str], trees: Iterable[str], before: Before | None) -> Evidence:
    """Evaluates the objects and collects what the gates check. `before` is what was noted at the start."""
    steps = evidence_in_steps(objects, exported(trees), before)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Evidence = end.value
            return found


def exported(trees: Iterable[str], left: Mapping[str, Tree] | None = None) -> dict[str, Tree]:
    """Those of the trees that exist, with their nested groups; of those that a run `left` what it left is known."""
    present = [name for name in dict.fromkeys(trees) if bpy.data.node_groups.get(name) is not None]
    return export.export_trees(present, left)["trees"]


def evidence_in_steps(
    objects: Iterable[str], bundle: dict[str, Tree], before: Before | None
) -> Generator[None, None, Evidence]:
    """As ``evidence``, for trees that were `exported`, in steps of `export.STEP_S` at least, between which the file may
    change. What is said of an object is true of one moment, and so is what is said of a tree.
    """
    pace = export.Pace(export.STEP_S)
    bpy.context.evaluated_depsgraph_get().update()
    named: set[str] | None = set() if attributes.are_read_by(bundle) else None
    sets_materials = worn.are_set_by(bundle)
    found: list[EvaluatedObject] = []
    for name in dict.fromkeys(objects):
        yield from pace.rest()
        obj = bpy.data.objects.get(name)
        if obj is not None:
            found.append(_object(obj, bpy.context.evaluated_depsgraph_get(), named, before, sets_materials))
    invalid: dict[str, list[list[str]]] = {}
    idle: dict[str, list[list[str]]] = {}
    for name in bundle:
        yield from pace.rest()
        tree = _tree(name)
        if tree is not None and (links := invalid_links(tree)):
            invalid[name] = links
        yield from pace.rest()
        if inputs := (yield from _inactive(name, pace)):
            idle[name] = inputs
    yield from pace.rest()
    return {
        "objects": found,
        "trees": bundle,
        "invalid_links": invalid,
        "inactive": idle,
        "before": {"modifiers": {}, "node_groups": []} if before is None else before.names,
        "results_before": {} if before is None else before.results,
        "invalid_before": cast(Any, {} if before is None else before.invalid_links),
        "after": lists(),
        "attributes": None if named is None else attributes.all_names(named),
    }


def _tree(name: str) -> Any:
    """The tree of this name; None if it is gone."""
    try:
        return values.resolve("node_group", name)
    except HostError:
        return None


def lists() -> Names:
    """Names of the modifiers of every object that has any, and of all node groups."""
    return {
        "modifiers": {
            o.name: [m.name for m in o.modifiers]
            for o in sorted(bpy.data.objects, key=lambda o: o.name)
            if len(o.modifiers)
        },
        "node_groups": context.names("node_group"),
    }


def invalid_links(tree: Any) -> list[list[str]]:
    """`[from ID, socket, to ID, socket, reason]` for every link that Blender marks as invalid."""
    id_of: dict[str, str] | None = None
    found = []
    for link in tree.links:
        if link.is_valid or link.is_muted:
            continue
        id_of = id_of or dict(zip((n.name for n in tree.nodes), identity.node_ids(tree), strict=True))
        found.append(
            [
                id_of[link.from_node.name],
                link.from_socket.identifier,
                id_of[link.to_node.name],
                link.to_socket.identifier,
                _reason(link),
            ]
        )
    return found


_KNOWS_INACTIVE = "is_inactive" in bpy.types.NodeSocket.bl_rna.properties


# How many nodes are looked at before the time is.
_PORTION = 64


def _inactive(name: str, pace: export.Pace) -> Generator[None, None, list[list[str]]]:
    """`[node ID, socket]` for every input that does nothing as the nodes are set: a length where a count is used. Of a
    tree that is changed between two steps, what was seen before.
    """
    tree = _tree(name) if _KNOWS_INACTIVE else None
    if tree is None:
        return []
    ids = identity.node_ids(tree)
    found: list[list[str]] = []
    for first in range(0, len(ids), _PORTION):
        for at, node in enumerate(tree.nodes[first : first + _PORTION], first):
            found += [[ids[at], s.identifier] for s in node.inputs if s.is_inactive and s.enabled]
        if pace.is_over():
            yield from pace.rest()
            tree = _tree(name)
            if tree is None or identity.node_ids(tree) != ids:
                return found
    return found


def _reason(link: Any) -> str:
    source, target = link.from_socket, link.to_socket
    for socket, side in ((source, "source"), (target, "target")):
        if not socket.enabled or socket.is_unavailable:
            return f"the {side} socket is not available in the node's current mode"
    if source.type != target.type:
        return f"{source.type} cannot be converted to {target.type}, or a field is linked to a single-value input"
    return "a cycle, a field linked to a single-value input, a link across a zone boundary, or a menu conflict"


def _object(
    obj: Any, depsgraph: Any, named: set[str] | None, before: Before | None, sets_materials: bool
) -> EvaluatedObject:
    start = time.perf_counter()
    found = evaluate_object(obj, depsgraph)
    found["ms"] = round((time.perf_counter() - start) * 1000, 3)
    if named is not None:
        named.update(_evaluated_names(obj.evaluated_get(depsgraph)))
    return {
        "name": obj.name,
        "type": obj.type,
        "modifiers": [_modifier(m) for m in obj.modifiers],
        "evaluated": cast("Evaluated", found),
        "materials": worn.of(obj.evaluated_get(depsgraph), depsgraph) if sets_materials else None,
        "unchanged": before is not None and before.shows_same(obj, depsgraph, found),
    }


def _evaluated_names(evaluated: Any) -> set[str]:
    """Names of the attributes of the evaluated geometry and of the geometry that its instances show."""
    if not hasattr(evaluated, "evaluated_geometry"):
        return set(attributes.of(evaluated.data))
    geometry = evaluated.evaluated_geometry()
    parts = [geometry, *(r for r in geometry.instance_references() if isinstance(r, bpy.types.GeometrySet))]
    found: set[str] = set()
    for part in parts:
        for data in (part.mesh, part.curves, part.pointcloud, part.instances_pointcloud()):
            found.update(attributes.of(data))
        found.update(attributes.of(getattr(part, "grease_pencil", None)))
    return found


def _modifier(modifier: Any) -> Modifier:
    out: Modifier = {"name": modifier.name, "type": modifier.type}
    if modifier.type == "NODES":
        group = modifier.node_group
        out["node_group"] = values.block_name(group) if group is not None else None
        out["inputs"] = modifiers.read_inputs(modifier)
        warnings = getattr(modifier, "node_warnings", None)
        out["warnings"] = None if warnings is None else [{"type": w.type, "message": w.message} for w in warnings]
    else:
        out["warnings"] = None
    return out
