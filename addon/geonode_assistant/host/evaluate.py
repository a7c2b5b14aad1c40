# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures results: the evaluated geometry of objects with instances, node warnings, invalid links ("Evidence")."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any, cast

import bpy

from . import attributes, context, export, identity, likeness, modifiers, values, worn
from .documents import Evaluated, EvaluatedObject, Evidence, Modifier, Names, ResultBefore
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
    objects = list(dict.fromkeys(objects))
    present = [name for name in dict.fromkeys(trees) if bpy.data.node_groups.get(name) is not None]
    # As the run left them: what evaluation calls may edit them as well.
    bundle = export.export_trees(present)["trees"]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    depsgraph.update()
    named: set[str] | None = set() if attributes.are_read_by(bundle) else None
    sets_materials = worn.are_set_by(bundle)
    return {
        "objects": [
            _object(bpy.data.objects[name], depsgraph, named, before, sets_materials)
            for name in objects
            if bpy.data.objects.get(name) is not None
        ],
        "trees": bundle,
        "invalid_links": {
            name: found for name in bundle if (found := invalid_links(values.resolve("node_group", name)))
        },
        "inactive": {name: found for name in bundle if (found := _inactive(values.resolve("node_group", name)))},
        "before": {"modifiers": {}, "node_groups": []} if before is None else before.names,
        "results_before": {} if before is None else before.results,
        "invalid_before": cast(Any, {} if before is None else before.invalid_links),
        "after": lists(),
        "attributes": None if named is None else attributes.all_names(named),
    }


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


def _inactive(tree: Any) -> list[list[str]]:
    """`[node ID, socket]` for every input that does nothing as the nodes are set: a length where a count is used."""
    if not _KNOWS_INACTIVE:
        return []
    idle = [[s.identifier for s in node.inputs if s.is_inactive and s.enabled] for node in tree.nodes]
    if not any(idle):
        return []
    ids = identity.node_ids(tree)
    return [[at, socket] for at, sockets in zip(ids, idle, strict=True) for socket in sockets]


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
