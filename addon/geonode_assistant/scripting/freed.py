# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a script that point to what Blender frees or moves: they raise ``ReferenceError`` from then on.

Blender itself does this for data-blocks, but not for their vertices, splines, keyframes, sockets and layers. Before and
after a method that may free or move data, what the script's objects point to is looked for in their data-block; what
could be reached before and cannot any more is gone. The core finds the objects and changes them
(``rust/python/src/references.rs``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import cache
from types import TracebackType
from typing import Any

import bmesh
import bpy

from .. import native
from ..host import rna
from . import with_blocks
from .recorded_values import MATH

METHODS = frozenset({
    "add", "add_curves", "add_strokes", "append", "calc_loop_triangles", "calc_tangents", "clear", "clear_geometry",
    "driver_add", "free_tangents", "from_pydata", "insert", "keyframe_delete", "keyframe_insert", "move", "new",
    "pop", "remove", "reset", "resize", "resize_curves", "resize_strokes", "shape_key_add", "split",
    "update_from_editmode", "validate",
})  # fmt: skip
"""Methods of Blender's data that may free or move some of it; those of ``removals.METHODS`` do too."""
_IN_PLACE = frozenset({
    "Nodes", "NodeLinks", "ObjectModifiers", "ObjectConstraints", "PoseBoneConstraints", "CurveSplines", "VertexGroups",
    "ArmatureEditBones", "MetaBallElements", "ActionFCurves", "ActionChannelbagFCurves",
})  # fmt: skip
"""Lists whose ``new`` moves nothing: each part has memory of its own."""
_SEVERAL = frozenset({"IDMaterials", "CollectionChildren"})
"""Lists whose methods free or move parts of other data-blocks too: material slots, layer collections."""
_OF_THEIR_OWN = {
    "SplinePoints": "SplinePoint",
    "SplineBezierPoints": "BezierSplinePoint",
    "FCurveKeyframePoints": "Keyframe",
    "ColorRampElements": "ColorRampElement",
    "CurveMapPoints": "CurveMapPoint",
    "CollectionChildren": "LayerCollection",
}
"""Lists whose methods move and free nothing but their elements, by the type of these."""
STORED = frozenset({
    "type", "data_type", "socket_type", "mode", "domain", "operation", "input_type", "blend_type", "dimensions",
    "data", "points_u", "points_v", "points_w",
})  # fmt: skip
"""Properties that decide which parts there are."""


EVALUATING = frozenset({
    "depsgraph", "evaluated_depsgraph_get", "frame_set", "to_curve", "to_curve_clear", "to_mesh", "to_mesh_clear",
    "update",
})  # fmt: skip
"""Names of Blender's data with which it may evaluate, or free what it has evaluated."""
_EVALUATED = frozenset({"Context", "Depsgraph", "Object", "Scene", "ViewLayer"})
"""The types of which these do so."""
_graphs: list[Any] = []
"""The depsgraphs that the script has; nothing tells Blender's own objects for them that they are gone."""


def begin() -> None:
    """Called before the first line of a script."""
    core = native.core()
    block = rna.a_block()
    core.references_begin(*_kinds(), (block, block.as_pointer(), block.bl_rna.as_pointer()), bpy.context)
    sample = bmesh.new()
    core.elements_begin(*_of_bmesh(), (sample, sample.verts))
    sample.free()
    for name, made in _MAKES.items():
        setattr(bmesh, name, _told(made))
    graph: Any = bpy.types.Depsgraph.bl_rna
    core.walks_begin(bpy.types.bpy_struct, _lists(), graph.as_pointer())
    core.properties_begin(list(_property_types()))


def end() -> None:
    """Called after the last line of a script."""
    core = native.core()
    for name, made in _MAKES.items():
        setattr(bmesh, name, made)
    core.properties_end()
    core.walks_end()
    core.elements_end()
    core.references_end()
    _graphs.clear()


_MAKES = {name: getattr(bmesh, name) for name in ("new", "from_edit_mesh")}
"""What makes meshes. Operators in Python make them too, perhaps at the address of one that is gone."""


def _told(make: Callable[..., Any]) -> Callable[..., Any]:
    look = native.core().elements_look

    def told(*args: Any, **kwargs: Any) -> Any:
        made = make(*args, **kwargs)
        look(made)
        return made

    return told


@cache
def _of_bmesh() -> tuple[type, list[type], list[type], list[type]]:
    kinds = {name: one for name, one in vars(bmesh.types).items() if isinstance(one, type)}
    elements = [kinds[name] for name in ("BMVert", "BMEdge", "BMFace", "BMLoop")]
    parts = [one for name, one in kinds.items() if name.endswith("Seq") or name.startswith("BMLayer")]
    return kinds["BMesh"], parts, [kinds["BMElemSeq"]], elements


def _lists() -> list[type]:
    """The types of Blender's lists."""
    found: list[type] = []
    waiting: list[type] = [bpy.types.bpy_prop_collection]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += one.__subclasses__()
    return found


@cache
def _kinds() -> tuple[Any, ...]:
    mesh = bmesh.new()
    layer = mesh.verts.layers.skin.verify()
    views = [bmesh.types.BMLoopUV, bmesh.types.BMDeformVert, type(mesh.verts.new()[layer])]
    mesh.free()
    of_bmesh = [one for one in vars(bmesh.types).values() if isinstance(one, type)]
    properties = list(_property_types())
    math, own = list(MATH), of_bmesh + views[2:]
    pointing = bpy.types.bpy_struct, bpy.types.bpy_prop, bpy.types.ID
    return pointing, list(rna.untracked_types()), math, own, views, properties


def _property_types() -> tuple[type, type]:
    from idprop.types import IDPropertyArray, IDPropertyGroup

    return IDPropertyArray, IDPropertyGroup


def moves(thing: Any, name: str) -> bool:
    """Whether a method of Blender's data may free or move some of it."""
    if name == "new":
        described = getattr(thing, "bl_rna", None)
        identifier = described.identifier if described is not None else ""
        return not identifier.startswith("BlendData") and identifier not in _IN_PLACE
    return name in METHODS


def watched(function: Callable[..., Any], thing: Any, evaluates: bool = False) -> Callable[..., Any]:
    """A method of ``thing`` that may free or move data of Blender. ``evaluates``: evaluated data too."""

    def called(*args: Any, **kwargs: Any) -> Any:
        touched = _touched(thing)
        with Evaluation(everything=True) if evaluates else Watch(touched, _only(thing)):
            return function(*args, **kwargs)

    return called


def checked(function: Callable[..., Any], thing: Any) -> Callable[..., Any]:
    """A method of ``thing`` that a guard keeps, while ``thing`` is there."""

    def called(*args: Any, **kwargs: Any) -> Any:
        _touched(thing)
        return function(*args, **kwargs)

    return called


def _touched(thing: Any) -> Any:
    """The data-block that a method of this changes; None if it may change several. Raises if this is gone."""
    # The context looks its own members up in areas that may be gone, and nothing of it is freed.
    if thing is None or isinstance(thing, bpy.types.Context):
        return None
    # Raises; reading `id_data` does not.
    _ = getattr(thing, "rna_type", None) if isinstance(thing, bpy.types.bpy_struct) else bool(thing)
    block = getattr(thing, "id_data", None)
    described = getattr(thing, "bl_rna", None)
    several = isinstance(thing, bpy.types.ID) or described is not None and described.identifier in _SEVERAL
    return None if several else block


def _only(thing: Any) -> str | None:
    """The only type of what a method of this may free or move; None if there are several."""
    described = None if isinstance(thing, bpy.types.Context | None) else getattr(thing, "bl_rna", None)
    return _OF_THEIR_OWN.get(described.identifier) if described is not None else None


class Watch:
    """What is gone at the end of its `with` is forgotten: in a data-block, or in all of them. ``only``: the only type
    that can be.
    """

    def __init__(self, block: Any = None, only: str | None = None, root: Any = None) -> None:
        """``root``: the struct of whose parts alone something is gone, besides links."""
        self._block, self._only, self._root = block, only, root

    def __enter__(self) -> None:
        only = None if self._block is None else self._block.as_pointer()
        self._held = native.core().references_held(only)
        if self._only is not None:
            self._held = [one for one in self._held if _name(one[0], one[2]) in ("", self._only)]
        self._blocks: dict[int, Any] = {}
        self._made_anew: list[tuple[Any, int, type]] = []
        if not self._held:
            return
        wanted: dict[int, set[str]] = {}
        for thing, block, _, _ in self._held:
            if block not in self._blocks:
                self._blocks[block] = _block_of(thing)
        self._made_anew = [
            (thing, block, made)
            for thing, block, kind, _ in self._held
            if DYNAMIC and kind not in _NAMES and is_dynamic(made := _type_of(thing))
        ]
        self._choose()
        for thing, block, kind, data in self._held:
            if data != block:
                wanted.setdefault(block, set()).add(_name(thing, kind))
        self._wanted = {block: frozenset(names) for block, names in wanted.items()}
        self._before = {block: self._reached(block, names) for block, names in self._wanted.items()}

    def _choose(self) -> None:
        """Keeps of what is held what this may free."""

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        native.core().references_disown()
        self._forget()
        with_blocks.refresh()

    def _forget(self) -> None:
        if not self._held:
            return
        gone = {block for block, it in self._blocks.items() if it is not None and not _is_there(it)}
        after = {block: self._reached(block, names) for block, names in self._wanted.items() if block not in gone}
        forgotten = [
            thing
            for thing, block, _, data in self._held
            if block in gone
            or (data != block and block in after and data in self._before[block] and data not in after[block])
        ]
        forgotten += self._outdated(gone)
        if forgotten:
            native.core().references_forget(forgotten)

    def _outdated(self, gone: set[int]) -> list[Any]:
        """What is held of types that Blender has made anew since."""
        there: dict[int, set[type]] = {}
        for _, block, _ in self._made_anew:
            if block not in gone and block not in there:
                there[block] = set(_dynamic_types(self._blocks[block]))
        return [thing for thing, block, kind in self._made_anew if block not in gone and kind not in there[block]]

    def _reached(self, block: int, names: frozenset[str]) -> Reached:
        if self._root is None:
            return reached(self._blocks[block], names)
        found = reached(self._root, names)
        if "NodeLink" in names:
            for link in self._blocks[block].links:
                found.add(link.as_pointer())
        return found


DYNAMIC = "properties" in bpy.types.NodesModifier.bl_rna.properties
"""Whether this Blender makes types for the inputs of each modifier, and makes them anew when its tree's interface
changes. Its own objects for what has such a type would then look at the former one."""


def is_dynamic(kind: type) -> bool:
    """Whether Blender has made a type for one modifier."""
    return DYNAMIC and kind.__module__ == "bpy.types" and getattr(bpy.types, kind.__name__, None) is not kind


def _type_of(thing: Any) -> type:
    """The type of a struct, or of the struct that has this property."""
    return type(thing if isinstance(thing, bpy.types.bpy_struct) else getattr(thing, "data", thing))


def _dynamic_types(block: Any) -> Iterator[type]:
    """The types that Blender has made for the modifiers of an object."""
    for modifier in getattr(block, "modifiers", ()):
        waiting = [modifier.properties] if modifier.type == "NODES" else []
        while waiting:
            one = waiting.pop()
            yield type(one)
            for prop in one.bl_rna.properties:
                if prop.type == "POINTER" and prop.identifier != "rna_type":
                    part = getattr(one, prop.identifier)
                    if is_dynamic(type(part)):
                        waiting.append(part)


def changes_interface(kind: type, name: str) -> bool:
    """Whether setting this, or a method of this name, changes the interface of a tree, or which one a modifier has."""
    return DYNAMIC and (
        issubclass(kind, bpy.types.NodeTreeInterfaceItem | bpy.types.NodeTreeInterface)
        or (name == "node_group" and issubclass(kind, bpy.types.Modifier))
    )


class Interface(Watch):
    """While the interface of a tree changes."""

    def _choose(self) -> None:
        self._held = [one for one in self._held if any(one[0] is thing for thing, _, _ in self._made_anew)]


def interface(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that changes the interface of a tree."""

    def called(*args: Any, **kwargs: Any) -> Any:
        with Interface():
            return function(*args, **kwargs)

    return called


class Evaluation(Watch):
    """While Blender may evaluate, or free what it has evaluated."""

    def __init__(self, everything: bool = False) -> None:
        """``everything``: not only evaluated data may be freed."""
        super().__init__()
        self._everything = everything

    def __enter__(self) -> None:
        native.core().walks_settle(True)
        super().__enter__()

    def _choose(self) -> None:
        if not self._everything:
            evaluated = {block: getattr(it, "is_runtime_data", False) for block, it in self._blocks.items()}
            self._held = [one for one in self._held if evaluated[one[1]]]

    def _forget(self) -> None:
        super()._forget()
        if _graphs:
            there = rna.depsgraphs()
            gone = [one for one in _graphs if _address(one) not in there]
            native.core().references_forget(gone)
            _graphs[:] = [one for one in _graphs if not any(one is other for other in gone)]


def _address(thing: Any) -> int:
    try:
        return int(thing.as_pointer())
    except ReferenceError:
        return 0


def _block_of(thing: Any) -> Any:
    """The data-block in which something is."""
    # Asking for it by name would look at its type first, which may be gone.
    return _ID_DATA.__get__(thing) if isinstance(thing, bpy.types.bpy_struct) else getattr(thing, "id_data", None)


_ID_DATA = bpy.types.bpy_struct.__dict__["id_data"]


def evaluating(thing: Any, name: str, found: Any) -> Any:
    """A member of ``EVALUATING``, as a script has it."""
    described = getattr(thing, "bl_rna", None)
    if described is None or described.identifier not in _EVALUATED:
        return found
    if not callable(found):
        return _kept(found)

    def called(*args: Any, **kwargs: Any) -> Any:
        with Evaluation():
            return _kept(found(*args, **kwargs))

    return called


def _kept(found: Any) -> Any:
    if isinstance(found, bpy.types.Depsgraph) and not any(one is found for one in _graphs):
        _graphs.append(found)
    return found


def storing(thing: Any) -> Watch:
    """While a property of ``STORED`` is set. What a node, a modifier, a constraint or a spline is set to concerns its
    own parts; the items of a zone or a menu decide about sockets elsewhere.
    """
    own = (bpy.types.Node, bpy.types.Modifier, bpy.types.Constraint, bpy.types.Spline)
    return Watch(thing.id_data, root=thing if isinstance(thing, own) else None)


def _is_there(block: Any) -> bool:
    try:
        return bool(block.bl_rna and block.name_full)
    except ReferenceError:
        return False


class Reached:
    """Addresses in a data-block: single ones, and those of elements that lie in a row."""

    def __init__(self) -> None:
        self._single: set[int] = set()
        self._rows: list[range] = []

    def __contains__(self, address: int) -> bool:
        return address in self._single or any(address in row for row in self._rows)

    def add(self, address: int) -> bool:
        """Whether it is a new one."""
        new = address not in self._single
        self._single.add(address)
        return new

    def add_row(self, elements: Any) -> bool:
        """Whether these lie in a row."""
        count = len(elements)
        if count < 3:
            return False
        first, second, last = (elements[at].as_pointer() for at in (0, 1, count - 1))
        step = second - first
        if step <= 0 or last != first + step * (count - 1):
            return False
        self._rows.append(range(first, last + 1, step))
        return True


def reached(root: Any, names: frozenset[str]) -> Reached:
    """The addresses of everything of these types that a data-block, or a struct in one, leads to within the block."""
    found = Reached()
    if root is None:
        return found
    described: Any = root.bl_rna
    whole = "" in names or isinstance(root, bpy.types.ID) and not _leads(described.identifier, names)
    own = (root.id_data or root).as_pointer()
    waiting = [root]
    seen = {(root.as_pointer(), described.identifier)}
    while waiting:
        one = waiting.pop()
        for name, many, leaf in _edges(one.bl_rna.identifier, names, whole):
            with contextlib.suppress(AttributeError, TypeError, RuntimeError, KeyError):
                value = getattr(one, name)
                if value is None or many and leaf and found.add_row(value):
                    continue
                for part in value if many else (value,):
                    if part is None or isinstance(part, bpy.types.ID):
                        continue
                    held = part.id_data
                    key = (part.as_pointer(), part.bl_rna.identifier)
                    if key in seen or held is None or held.as_pointer() != own:
                        continue
                    seen.add(key)
                    found.add(key[0])
                    waiting.append(part)
    return found


_NAMES: dict[int, str] = {}


def _name(thing: Any, kind: int) -> str:
    """The name of the type, which has this address, of what an object points to; empty if nothing tells it."""
    if kind not in _NAMES:
        if DYNAMIC and is_dynamic(_type_of(thing)):
            return _type_of(thing).__name__
        with contextlib.suppress(AttributeError, ReferenceError, RuntimeError):
            described: Any = (thing if isinstance(thing, bpy.types.bpy_struct) else thing.data).bl_rna
            _NAMES[described.as_pointer()] = described.identifier
    return _NAMES.get(kind, "")


@cache
def _parts(identifier: str) -> tuple[tuple[str, bool, str], ...]:
    """The members of a type that hold structs: name, whether many, type."""
    described = getattr(getattr(bpy.types, identifier, None), "bl_rna", None)
    return tuple(_members(described)) if described is not None else ()


def _members(described: Any) -> Iterator[tuple[str, bool, str]]:
    for prop in described.properties:
        if prop.type not in ("COLLECTION", "POINTER") or prop.identifier == "rna_type":
            continue
        fixed = prop.fixed_type
        kind = getattr(bpy.types, fixed.identifier, None)
        if kind is None or not issubclass(kind, bpy.types.ID):
            yield prop.identifier, prop.type == "COLLECTION", fixed.identifier


@cache
def _bases(identifier: str) -> frozenset[str]:
    found = set()
    described = getattr(getattr(bpy.types, identifier, None), "bl_rna", None)
    while described is not None:
        found.add(described.identifier)
        described = described.base
    return frozenset(found)


@cache
def _wanted(names: frozenset[str]) -> frozenset[str]:
    """Types as whose members something of these types may be found."""
    return frozenset().union(*(_bases(name) for name in names))


@cache
def _leads(identifier: str, names: frozenset[str]) -> bool:
    """Whether something of this type leads to something of those."""
    wanted = _wanted(names)
    waiting, seen = [identifier], {identifier}
    while waiting:
        for _, _, kind in _parts(waiting.pop()):
            if kind in wanted:
                return True
            if kind not in seen:
                seen.add(kind)
                waiting.append(kind)
    return False


@cache
def _edges(identifier: str, names: frozenset[str], whole: bool) -> tuple[tuple[str, bool, bool], ...]:
    """The members to look at: name, whether many, whether nothing further is looked for in them."""
    wanted = _wanted(names)
    found = []
    for name, many, kind in _parts(identifier):
        further = whole or _leads(kind, names)
        if kind in wanted or further:
            found.append((name, many, not further))
    return tuple(found)
