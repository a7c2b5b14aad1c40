# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what the planner and the model may see of the file (FORMATS.md, "Context" and "Document"). Never writes."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple, TypedDict, cast

import bpy
import numpy as np

from . import animation, current, export, identity, measure, modifiers, ownership, readers, values
from .documents import (
    Animated,
    Bundle,
    Context,
    Document,
    ElementCounts,
    Figures,
    Made,
    Modifier,
    Object,
    Scene,
    SceneObject,
    ShownResult,
    Tree,
    TreeFocus,
    TreeInfo,
)
from .materials import look as look_of

OBJECT_LIMIT = 200
FIGURES_LIMIT = 5_000  # objects whose size is measured; each costs some tens of microseconds
MEASURED = 200_000  # vertices and faces up to which a target's mesh is measured
RESULTS = 4  # selected objects up to which all are measured with what their modifiers make
MEASURED_POINTS = 10_000  # control points up to which a curve's length is measured
VALUES_LIMIT = 60  # inputs of a modifier whose values are shown
HIDDEN_PREFIX = ".geonode"  # our own temporary data-blocks
_BOUNDLESS = frozenset({"EMPTY", "CAMERA", "LIGHT", "SPEAKER", "LIGHT_PROBE", "ARMATURE"})


class Whose(NamedTuple):
    """What the mark of a tree says."""

    made: Made | None
    is_lapsed: bool


Marks = dict[int, Whose]
"""By the session UIDs of trees. To look at one means to export the tree, and many modifiers may run it."""


def whose(tree: Any, ir: Tree | None = None) -> Whose:
    """Looks at the mark of a tree; `ir` is its export, if already available."""
    made = ownership.read_mark(tree, ir)
    return Whose(made, made is None and ownership.is_lapsed(tree))


def marked_trees() -> list[str]:
    """Names of the trees with a mark that the objects of the scene run."""
    stacks: Any = (o.modifiers for o in current.scene().objects)
    used = (m.node_group for stack in stacks for m in stack if m.type == "NODES")
    return list(dict.fromkeys(tree.name for tree in used if tree is not None and ownership.MARK in tree))


def capture_context(
    object: str | None = None,
    modifier: str | None = None,
    with_tree: bool = True,
    marks: Marks | None = None,
    read: Bundle | None = None,
) -> Context:
    """The snapshot for `object` (else the active one) and its Geometry Nodes `modifier` (else the active, else the
    last one), `with_tree` with its tree. `marks` have been looked at already, and the tree has been `read`.

    Raises `unknown_object` or `unknown_modifier`, with the near names.
    """
    scene = current.scene()
    layer = bpy.context.view_layer
    active = layer.objects.active if layer is not None else None
    target, target_modifier = _meant(object, modifier)
    tree = target_modifier.node_group if target_modifier is not None else None
    objects = sorted(scene.objects, key=lambda o: o.name)
    shown = _cut(objects, target, active)
    out: Context = {
        "blender": list(bpy.app.version),
        "units": {
            "system": scene.unit_settings.system,
            "scale_length": values.shortest_float(scene.unit_settings.scale_length),
            "length": scene.unit_settings.length_unit,
        },
        "frame": {"start": scene.frame_start, "end": scene.frame_end, "current": scene.frame_current},
        "active_object": active.name if active is not None else None,
        "selection": [o.name for o in objects if _selected(o)],
        "target_object": target.name if target is not None else None,
        "target_modifier": target_modifier.name if target_modifier is not None else None,
        "target_node_group": values.block_name(tree) if tree is not None else None,
        "objects": _objects(shown, (target, active), {} if marks is None else marks),
        **_left_out(objects, shown),
        "collections": [
            {"name": c.name, "objects": sorted(o.name for o in c.objects)} for c in _by_name(bpy.data.collections)
        ],
        "materials": names("material"),
        "images": names("image"),
        "node_groups": [
            {"name": values.block_name(g), "users": _users(g), "nodes": len(g.nodes)}
            for g in _by_name(bpy.data.node_groups)
            if g.bl_idname == "GeometryNodeTree"
        ],
    }
    if tree is not None and with_tree:
        known = read is not None and read["root"] == values.block_name(tree)
        out["tree"] = read if read is not None and known else export.export_tree(tree, whole=False)
        out["tree_focus"] = _focus(tree)
    return out


def target_tree(object: str | None, modifier: str | None) -> str | None:
    """The name of the tree that ``capture_context`` shows; raises as that does."""
    _, found = _meant(object, modifier)
    tree = found.node_group if found is not None else None
    return values.block_name(tree) if tree is not None else None


def _meant(object: str | None, modifier: str | None) -> tuple[Any, Any]:
    """The object and the modifier that a prompt is about."""
    layer = bpy.context.view_layer
    active = layer.objects.active if layer is not None else None
    target = modifiers.object_named(object) if object else active
    return target, _target_modifier(target, modifier)


class _Cut(TypedDict, total=False):
    cut: int
    cut_kinds: dict[str, int]


class _Bounds(TypedDict, total=False):
    bounds: list[list[float]]


class _Shown(TypedDict, total=False):
    result: ShownResult


class _Counts(TypedDict, total=False):
    counts: ElementCounts
    length: float


def _left_out(objects: list[Any], shown: list[Any]) -> _Cut:
    if len(objects) == len(shown):
        return {}
    kept = {o.name for o in shown}
    kinds = Counter(o.type for o in objects if o.name not in kept)
    return {"cut": kinds.total(), "cut_kinds": dict(sorted(kinds.items()))}


def active_object() -> str | None:
    """The name of the active object."""
    layer = bpy.context.view_layer
    active = layer.objects.active if layer is not None else None
    return active.name if active is not None else None


def trees_of(objects: Iterable[str], trees: Iterable[str]) -> list[str]:
    """The named Geometry Nodes trees and those of the objects' modifiers, those that exist."""
    wanted = list(trees)
    for name in dict.fromkeys(objects):
        obj = bpy.data.objects.get(name)
        if obj is not None:
            groups = [m.node_group for m in obj.modifiers if m.type == "NODES"]
            wanted += [values.block_name(group) for group in groups if group is not None]
    return [name for name in dict.fromkeys(wanted) if _is_geometry(bpy.data.node_groups.get(name))]


def inspect(
    objects: Iterable[str],
    trees: Iterable[str],
    read: dict[str, Tree] | None = None,
    sealed: bool = True,
    materials: Iterable[str] = (),
) -> Document:
    """The document for the named objects and trees, with the trees of the objects' modifiers and nested groups, and the
    looks of the named materials; names that do not exist are absent. Trees that have been `read` are not read again.
    `sealed` with its fingerprint.
    """
    document = described(objects, trees, read)
    document["scene"] = _figures(set(document["objects"]))
    if looks := {name: look for name in materials if (look := look_of(name)) is not None}:
        document["materials"] = looks
    if not sealed:
        return document
    hashed = {key: value for key, value in document.items() if key not in ("fingerprint", "scene", "materials")}
    text = json.dumps(hashed, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    document["fingerprint"] = hashlib.sha256(text.encode()).hexdigest()
    return document


def described(objects: Iterable[str], trees: Iterable[str], read: dict[str, Tree] | None = None) -> Document:
    """As ``inspect``, without what only a run needs: fingerprint and figures are empty."""
    objects = list(dict.fromkeys(objects))
    found: dict[str, Object] = {name: target(obj) for name in objects if (obj := bpy.data.objects.get(name))}
    present = trees_of(objects, trees)
    known = read is not None and all(name in read for name in present)
    exported = read if read is not None and known else export.export_trees(present)["trees"]
    read_of = readers.read_of((values.resolve("node_group", name) for name in exported), _ids_of)
    return {
        "objects": found,
        "trees": exported,
        "tree_info": {
            name: _info(values.resolve("node_group", name), ir, read_of.get(name, [])) for name, ir in exported.items()
        },
        "names": {kind: names(kind) for kind in ("object", "collection", "material", "image", "node_group")},
        "fingerprint": "",
        "scene": {"objects": {}, "collections": {}},
    }


def without_figures(document: Document) -> dict[str, Any]:
    """The part of a document that is state of the file, without the figures for estimates, which depend on
    evaluation, and without the looks of materials, which depend on the plan.
    """
    return {key: value for key, value in document.items() if key not in ("scene", "materials")}


def _ids_of(tree: Any) -> dict[str, str]:
    return {node.name: node_id for node_id, node in identity.index(tree).items()}


def _info(tree: Any, ir: Tree, read: list[Animated]) -> TreeInfo:
    info: TreeInfo = {"users": _users(tree), "library": tree.library is not None, "type": tree.bl_idname}
    made = ownership.read_mark(tree, ir)
    if made is not None:
        info["made"] = made
    if animated := [*animation.animated(tree, lambda: _ids_of(tree)), *read]:
        info["animated"] = animated
    return info


def changed_objects(seen: Document, objects: Iterable[str]) -> list[str]:
    """The objects that differ from the document `seen`; those missing there or in the file are left out."""
    found = ((name, bpy.data.objects.get(name)) for name in objects if name in seen["objects"])
    return [name for name, obj in found if obj is not None and seen["objects"][name] != target(obj)]


def target(obj: Any) -> Object:
    """An object of the document: its modifiers with their inputs."""
    return {
        "type": obj.type,
        "library": obj.library is not None,
        "modifiers": [_modifier(m, True) for m in obj.modifiers],
    }


def _figures(targets: set[str]) -> Scene:
    """Sizes of objects and collections, as far as Blender knows them without reading their elements; the `targets` are
    measured unless they are very large.
    """
    return {
        "objects": {
            values.block_name(o): _size(o, o.name in targets)
            for at, o in enumerate(_by_name(bpy.data.objects))
            if at < FIGURES_LIMIT or o.name in targets
        },
        "collections": {
            values.block_name(c): sorted(values.block_name(o) for o in c.all_objects)
            for c in _by_name(bpy.data.collections)
        },
    }


def _size(obj: Any, measured: bool) -> Figures:
    data = obj.data
    out: Figures = {}
    if obj.type not in _BOUNDLESS:
        box = obj.bound_box
        out["size"] = [high - low for low, high in zip(box[0], box[6], strict=True)]
    if obj.type == "MESH":
        out |= {"vertices": len(data.vertices), "edges": len(data.edges), "faces": len(data.polygons)}
        out["corners"] = len(data.loops)
        if measured and len(data.vertices) <= MEASURED and len(data.polygons) <= MEASURED:
            out |= _measure(data)
        if measured:
            out |= _evaluated(obj)
    elif obj.type == "CURVE":
        splines = data.splines
        out |= {"splines": len(splines), "points": sum(len(s.bezier_points) or len(s.points) for s in splines)}
    elif obj.type in ("CURVES", "POINTCLOUD"):
        out["points"] = len(data.points)
        if obj.type == "CURVES":
            out["splines"] = len(data.curves)
    if not all(map(math.isfinite, out.get("size", ()))):
        del out["size"]
    if measured:
        warnings = {m.name: _warnings(m) for m in obj.modifiers}
        if any(warnings.values()):
            out["warnings"] = {name: found for name, found in warnings.items() if found}
    return out


def _warnings(modifier: Any) -> list[str]:
    return [found.message for found in getattr(modifier, "node_warnings", ()) if found.type == "WARNING"]


def _evaluated(obj: Any) -> Figures:
    """What Blender made of a mesh with its modifiers when it last evaluated it; nothing is evaluated for this."""
    layer = bpy.context.view_layer
    if layer is None or not any(m.type != "NODES" for m in obj.modifiers):
        return {}
    made = obj.evaluated_get(layer.depsgraph)
    if made is obj or not made.is_evaluated or obj.mode == "EDIT":
        return {}
    mesh = made.data
    return {
        "evaluated": {
            "modifiers": len(obj.modifiers),
            "vertices": len(mesh.vertices),
            "edges": len(mesh.edges),
            "faces": len(mesh.polygons),
            "corners": len(mesh.loops),
        }
    }


def _measure(mesh: Any) -> Figures:
    """Extent and area of a mesh before modifiers; an object's bounds include its modifiers."""
    places = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    areas = np.empty(len(mesh.polygons), dtype=np.float32)
    mesh.vertices.foreach_get("co", places)
    mesh.polygons.foreach_get("area", areas)
    out: Figures = {}
    area = float(areas.sum(dtype=np.float64))
    if math.isfinite(area):
        out["area"] = area
    if len(places):
        out["size"] = np.ptp(places.reshape(-1, 3), axis=0).tolist()
    return out


def names(kind: str) -> list[str]:
    """Sorted names of all data-blocks of a kind, without our own temporary ones."""
    return [values.block_name(block) for block in _by_name(values.collection_of(kind))]


def _by_name(blocks: Any) -> list[Any]:
    return sorted((b for b in blocks if not b.name.startswith(HIDDEN_PREFIX)), key=values.block_name)


def _focus(tree: Any) -> TreeFocus:
    """IDs of the nodes that the artist selected, and of those that a run made or named."""
    nodes = identity.index(tree)
    return {
        "selected": [node_id for node_id, node in nodes.items() if node.select],
        "touched": [node_id for node_id, node in nodes.items() if identity.STAMP in node],
    }


def _users(tree: Any) -> int:
    """How many data-blocks use the tree; a fake user, or an editor that shows it, is none."""
    return int(tree.users) - tree.use_fake_user - tree.use_extra_user


def _is_geometry(tree: Any) -> bool:
    return tree is not None and tree.bl_idname == "GeometryNodeTree"


def _target_modifier(target: Any, name: str | None) -> Any:
    if name is not None and target is not None:
        return modifiers.modifier_named(target, name)
    if target is None:
        return None
    active = target.modifiers.active
    if active is not None and active.type == "NODES":
        return active
    return next((m for m in reversed(target.modifiers) if m.type == "NODES"), None)


def _cut(objects: list[Any], *wanted: Any) -> list[Any]:
    """At most `OBJECT_LIMIT` objects, chosen with target, active and selected ones first, sorted by name."""
    if len(objects) <= OBJECT_LIMIT:
        return objects
    first = [o for o in objects if o in wanted or _selected(o)]
    chosen = {o.name for o in [*first, *objects][: OBJECT_LIMIT + len(first)]}
    kept = [o for o in objects if o.name in chosen]
    extra = len(kept) - OBJECT_LIMIT
    for o in reversed(kept.copy()):
        if extra <= 0:
            break
        if o not in first:
            kept.remove(o)
            extra -= 1
    return kept[:OBJECT_LIMIT]


def _selected(obj: Any) -> bool:
    try:
        return obj.select_get()
    except RuntimeError:  # not in this view layer
        return False


def _visible(obj: Any) -> bool:
    try:
        return obj.visible_get()
    except RuntimeError:
        return False


def _numbers(vector: Any) -> list[float]:
    return [values.shortest_float(part) for part in vector]


def _objects(shown: list[Any], meant: tuple[Any, Any], marks: Marks) -> list[SceneObject]:
    """The objects; where runs made nothing on those that the prompt is probably about, the only one with a result has
    its values too: "twice as many" is about that.
    """
    near = [o in meant or _selected(o) for o in shown]
    few = sum(near) <= RESULTS
    out = [_object(o, is_near, is_near and (few or o in meant), marks) for o, is_near in zip(shown, near, strict=True)]
    made = [at for at, one in enumerate(out) if any("made" in modifier for modifier in one["modifiers"])]
    if len(made) == 1 and not near[made[0]]:
        out[made[0]] = _object(shown[made[0]], True, True, marks)
    return out


def _object(obj: Any, near: bool, measured: bool, marks: Marks) -> SceneObject:
    """An object of the scene; of one that the prompt is probably about (`near`) with the values of its modifiers, and
    with what they make if it is to be `measured`.
    """
    return {
        "name": obj.name,
        "type": obj.type,
        "location": _numbers(obj.matrix_world.translation),
        "scale": _numbers(obj.scale),
        "dimensions": _numbers(obj.dimensions),
        **_bounds(obj),
        "visible": _visible(obj),
        "selected": _selected(obj),
        **_counts(obj),
        **_result(obj, measured),
        "modifiers": [_shown(m, near, marks) for m in obj.modifiers],
    }


def named_values(modifier: Any) -> dict[str, Any]:
    """The values of a Geometry Nodes modifier's inputs as the artist reads them: by name."""
    if modifier.type != "NODES" or modifier.node_group is None:
        return {}
    held = modifiers.read_inputs(modifier)
    out: dict[str, Any] = {}
    for item in modifiers.inputs_of(modifier.node_group):
        if item.identifier in held and len(out) < VALUES_LIMIT:
            name = item.name if item.name not in out else f"{item.name} ({item.identifier})"
            out[name] = held[item.identifier]
    return out


def _shown(modifier: Any, near: bool, marks: Marks) -> Modifier:
    out = _modifier(modifier, False)
    group = modifier.node_group if modifier.type == "NODES" else None
    if group is not None:
        found = marks.get(group.session_uid) or marks.setdefault(group.session_uid, whose(group))
        if found.made is not None:
            out["made"] = {"as_left": found.made["as_left"], "by": found.made["by"]}
        elif found.is_lapsed:
            out["lapsed"] = True
    held = named_values(modifier) if near else {}
    if held:
        out["values"] = held
    return out


def _bounds(obj: Any) -> _Bounds:
    if obj.type in _BOUNDLESS:
        return {}
    axes = [*zip(*obj.bound_box, strict=True)]
    return {"bounds": [_numbers(map(min, axes)), _numbers(map(max, axes))]}


def _result(obj: Any, measured: bool) -> _Shown:
    """What the modifiers of an object make, as Blender evaluated it last; nothing is evaluated for this."""
    layer = bpy.context.view_layer
    if not measured or layer is None or obj.mode == "EDIT" or not any(m.show_viewport for m in obj.modifiers):
        return {}
    made = obj.evaluated_get(layer.depsgraph)
    if made is obj or not made.is_evaluated or not hasattr(made, "evaluated_geometry"):
        return {}
    if isinstance(made.data, bpy.types.Mesh) and len(made.data.vertices) > MEASURED:
        return {}
    try:
        found = measure.evaluate_object(obj, layer.depsgraph, MEASURED)
    except TypeError:  # changed since
        return {}
    mesh, instances = found.get("mesh", {}), found.get("instances", {})
    numbers = {
        "vertices": mesh.get("vertices"),
        "faces": mesh.get("faces"),
        "curves": found.get("curves", {}).get("curves"),
        "points": found.get("pointcloud", {}).get("points"),
        "instances": instances.get("nested", instances.get("count")),
        "bounds": found["bounds"],
    }
    return {"result": cast("ShownResult", {key: value for key, value in numbers.items() if value is not None})}


def _counts(obj: Any) -> _Counts:
    if obj.type == "MESH":
        mesh = obj.data
        return {"counts": {"vertices": len(mesh.vertices), "edges": len(mesh.edges), "faces": len(mesh.polygons)}}
    if obj.type == "CURVE":
        splines = obj.data.splines
        points = sum(len(s.bezier_points) or len(s.points) for s in splines)
        counts: _Counts = {"counts": {"splines": len(splines), "points": points}}
        if points <= MEASURED_POINTS:
            length = sum(spline.calc_length() for spline in splines)
            if math.isfinite(length):
                counts["length"] = values.shortest_float(length)
        return counts
    return {}


def _modifier(modifier: Any, with_inputs: bool) -> Modifier:
    out: Modifier = {"name": modifier.name, "type": modifier.type}
    if modifier.type == "NODES":
        group = modifier.node_group
        out["node_group"] = values.block_name(group) if group is not None else None
        if with_inputs:
            out["inputs"] = modifiers.read_inputs(modifier)
            left = ownership.marked_inputs(modifier)
            if left is not None:
                out["left"] = left
            if moving := animation.animated_inputs(modifier):
                out["animated"] = moving
    elif with_inputs:
        out["inputs"] = modifiers.read_settings(modifier)
    return out
