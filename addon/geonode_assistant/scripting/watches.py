# SPDX-License-Identifier: GPL-3.0-or-later
"""Before and after something of Blender's may be freed or moved: what a script has of it is forgotten, or follows.

What was reached before and is not any more is gone. Elements of meshes, curves and point clouds lie in arrays which
copies and evaluated data share. Merely looking at one gives its data-block an array of its own, and what the script got
before still points into the other, which is freed with its last user, whatever that is. So these elements are looked
for in all data-blocks each time, and follow their array by their position in it.

A search through a whole tree takes milliseconds, so it is remembered how it came to what the script holds: what is
still there before and after, by the same route, needs none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from types import TracebackType
from typing import Any

import bpy

from .. import native
from ..host import rna
from . import dynamic_types, with_blocks
from .reached import (
    NAMES,
    Reached,
    Route,
    Rows,
    followed,
    followed_in_rows,
    is_layer,
    is_shared,
    is_still_there,
    leads_to,
    name_of,
    reached,
    route_to,
    shared_types,
)

_rows: dict[int, Rows] = {}
"""By the address of a data-block where the arrays of the elements that the script has were when last looked at."""
_routes: dict[int, dict[tuple[int, str], Route]] = {}
"""By the address of a data-block how to get to what the script holds of it."""
_graphs: list[Any] = []
"""The depsgraphs that the script has; nothing tells Blender's own objects for them that they are gone."""


weighted: set[int] = set()
"""The addresses of data-blocks whose vertices have a place for weights, since the last change of anything else."""


def forget_all() -> None:
    """Called after the last line of a script."""
    weighted.clear()
    _rows.clear()
    _routes.clear()
    _graphs.clear()


def kept(found: Any) -> Any:
    """Remembers a depsgraph that a script is given."""
    if isinstance(found, bpy.types.Depsgraph) and not any(one is found for one in _graphs):
        _graphs.append(found)
    return found


class Watch:
    """What is gone at the end of its `with` is forgotten: in a data-block, or in all of them. ``only``: the only type
    that can be.
    """

    frees_arrays = True
    """Whether arrays may be freed that data-blocks share."""

    def __init__(self, block: Any = None, only: str | None = None, root: Any = None) -> None:
        """``root``: the struct of whose parts alone something is gone, besides links."""
        self._block, self._only, self._root = block, only, root

    def __enter__(self) -> None:
        self._own = None if self._block is None else self._block.as_pointer()
        self._arrays = self.frees_arrays and self._only is None and self._root is None
        self._held = native.core().references_held(self._own, self._arrays)
        if self._only is not None:
            self._held = [one for one in self._held if name_of(one[0], one[2]) in ("", self._only)]
        elif self._root is not None and self._held:
            self._held = self._of_root()
        self._blocks: dict[int, Any] = {}
        self._made_anew: list[tuple[Any, int, type]] = []
        if not self._held:
            return
        for thing, block, _, _ in self._held:
            if block not in self._blocks:
                self._blocks[block] = _block_of(thing)
        if dynamic_types.DYNAMIC:
            self._made_anew = [
                (thing, block, made)
                for thing, block, kind, _ in self._held
                if kind not in NAMES and dynamic_types.is_dynamic(made := dynamic_types.type_of(thing))
            ]
        self._choose()
        parts: dict[int, dict[tuple[int, str], Any]] = {}
        for thing, block, kind, data in self._held:
            if not _is_whole(thing, block, kind, data):
                parts.setdefault(block, {})[data, name_of(thing, kind)] = thing
        self._wanted = {block: frozenset(name for _, name in keys) for block, keys in parts.items()}
        self._routed: dict[int, dict[tuple[int, str], Route]] = {}
        self._before = {block: self._known(block, keys) or self._searched(block, keys) for block, keys in parts.items()}
        if self._arrays:
            self._follow()

    def _of_root(self) -> list[Any]:
        """What is held of the root's parts, links, and types that Blender makes anew: a tree has many others."""
        kinds = {kind: thing for thing, _, kind, _ in self._held}
        names = {kind: name_of(thing, kind) for kind, thing in kinds.items()}
        parts = reached(self._root, frozenset(names.values())).addresses()
        beyond = {kind for kind, name in names.items() if name == "NodeLink" or kind not in NAMES}
        return [one for one in self._held if one[3] in parts or one[2] in beyond]

    def _choose(self) -> None:
        """Keeps of what is held what this may free."""

    def _known(self, block: int, things: dict[tuple[int, str], Any]) -> Reached | None:
        """What is held of a data-block, if all of it is where a search has found it before, or Blender does now."""
        if self._root is not None:
            return None
        it, known = self._blocks[block], _routes.setdefault(block, {})
        found, routes = Reached(), {}
        for key, thing in things.items():
            route = known.get(key)
            if route is None or not leads_to(it, route, key):
                route = route_to(thing)
                if route is None or not leads_to(it, route, key):
                    return None
                known[key] = route
            routes[key] = route
            found.add(*key)
        self._routed[block] = routes
        return found

    def _searched(self, block: int, keys: Collection[tuple[int, str]]) -> Reached:
        found = self._reached(block, self._wanted[block])
        if self._root is None and not any(_is_of_array(name) for _, name in keys):
            routes = {key: route for key in keys if (route := found.route(key)) is not None}
            _routes[block] = self._routed[block] = routes
            if len(routes) < len(keys):
                del self._routed[block]
        return found

    def _follow(self) -> None:
        """Lets elements follow to where the arrays of their data-blocks are now; what cannot is forgotten."""
        held, lost = [], []
        shared = shared_types()
        for one in self._held:
            thing, block, kind, data = one
            found = self._before.get(block)
            if kind not in shared or found is None or shared[kind] in found.kinds(data):
                held.append(one)
                continue
            place = followed_in_rows(data, shared[kind], _rows.get(block, {}), found.rows)
            if place is None:
                lost.append(thing)
            else:
                native.core().references_point(thing, place)
                held.append((thing, block, kind, place))
        self._held = held
        if lost:
            native.core().references_forget(lost)
        for block, found in self._before.items():
            _rows[block] = found.rows

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        native.core().references_disown()
        if self._only is None:
            weighted.clear()
        if self._own is None:
            for tree in [one for one in self._blocks.values() if isinstance(one, bpy.types.NodeTree)]:
                _settle(tree)
        after = self._forget() if self._held else {}
        if self._arrays:
            if self._own is None:
                _rows.clear()
            else:
                _rows.pop(self._own, None)
            _rows.update((block, found.rows) for block, found in after.items())
        with_blocks.refresh()

    def _forget(self) -> dict[int, Reached]:
        """Returns what the data-blocks lead to now."""
        gone = {block for block, it in self._blocks.items() if it is not None and not _is_there(it)}
        after = {
            block: self._reached(block, names)
            for block, names in self._wanted.items()
            if block not in gone and self._own in (None, block) and not self._is_unmoved(block)
        }
        shared = shared_types()
        forgotten = []
        for thing, block, kind, data in self._held:
            if block in gone:
                forgotten.append(thing)
                continue
            if _is_whole(thing, block, kind, data) or block not in after:
                continue
            name = name_of(thing, kind)
            if not is_still_there(data, name, self._before[block], after[block]):
                place = None
                if (kind in shared or is_layer(name)) and not _is_evaluated(self._blocks[block]):
                    place = followed(data, name, self._before[block], after[block])
                if place is None:
                    forgotten.append(thing)
                else:
                    native.core().references_point(thing, place)
        forgotten += self._outdated(gone)
        if forgotten:
            native.core().references_forget(forgotten)
        return after

    def _is_unmoved(self, block: int) -> bool:
        """Whether everything that is held of a data-block is where it was."""
        routes, it = self._routed.get(block), self._blocks[block]
        return routes is not None and all(leads_to(it, route, key) for key, route in routes.items())

    def _outdated(self, gone: set[int]) -> list[Any]:
        """What is held of types that Blender has made anew since."""
        there: dict[int, set[type]] = {}
        for _, block, _ in self._made_anew:
            if block not in gone and block not in there:
                there[block] = set(dynamic_types.types_of(self._blocks[block]))
        return [thing for thing, block, kind in self._made_anew if block not in gone and kind not in there[block]]

    def _reached(self, block: int, names: frozenset[str]) -> Reached:
        if self._root is None:
            return reached(self._blocks[block], names)
        found = reached(self._root, names)
        if "NodeLink" in names:
            for link in self._blocks[block].links:
                found.add(link.as_pointer(), "NodeLink")
        return found


class Linking(Watch):
    """While a link is made: it may replace another, and be where that was."""

    def __enter__(self) -> None:
        super().__enter__()
        links = [one[0] for one in self._held if isinstance(one[0], bpy.types.NodeLink)]
        self._ends = [(link, _ends(link)) for link in links]

    def _forget(self) -> dict[int, Reached]:
        after = super()._forget()
        native.core().references_forget([link for link, ends in self._ends if _ends(link) != ends])
        return after


class Interface(Watch):
    """While the interface of a tree changes."""

    frees_arrays = False

    def _choose(self) -> None:
        self._held = [one for one in self._held if any(one[0] is thing for thing, _, _ in self._made_anew)]


class Evaluation(Watch):
    """While Blender may evaluate, or free what it has evaluated."""

    def __init__(self, everything: bool = False) -> None:
        """``everything``: not only evaluated data, and arrays shared with it, may be freed."""
        super().__init__()
        self._everything = everything

    def __enter__(self) -> None:
        native.core().walks_settle(True)
        super().__enter__()

    def _choose(self) -> None:
        if not self._everything:
            # A pose is made anew where its armature is another.
            evaluated = {block: _is_evaluated(it) or _is_posed(it) for block, it in self._blocks.items()}
            shared = shared_types()
            self._held = [one for one in self._held if evaluated[one[1]] or one[2] in shared]

    def _forget(self) -> dict[int, Reached]:
        after = super()._forget()
        if _graphs:
            there = rna.depsgraphs()
            gone = [one for one in _graphs if _address(one) not in there]
            native.core().references_forget(gone)
            _graphs[:] = [one for one in _graphs if not any(one is other for other in gone)]
        return after


def _is_of_array(kind: str) -> bool:
    """Whether elements of this type lie in arrays, or are layers: these follow by their position or name."""
    return is_shared(kind) or is_layer(kind)


def _settle(tree: Any) -> None:
    """Lets nodes whose group is removed lose its sockets now, and not when one of these is set next."""
    with contextlib.suppress(ReferenceError, RuntimeError):
        if any(hasattr(node, "node_tree") and node.node_tree is None and len(node.inputs) for node in tree.nodes):
            tree.interface_update(bpy.context)


def _is_whole(thing: Any, block: int, kind: int, data: int) -> bool:
    """Whether something is a data-block itself. A material slot has no memory of its own: its address is that of its
    object, plus its number.
    """
    return data == block and name_of(thing, kind) != "MaterialSlot"


def _ends(link: Any) -> tuple[Any, ...]:
    """What a link joins; empty if it is gone."""
    try:
        ends = link.from_node, link.to_node
        return *(node.as_pointer() for node in ends), link.from_socket.identifier, link.to_socket.identifier
    except ReferenceError:
        return ()


def _is_evaluated(block: Any) -> bool:
    return bool(getattr(block, "is_runtime_data", False))


def _is_posed(block: Any) -> bool:
    return isinstance(block, bpy.types.Object) and block.type == "ARMATURE"


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


def _is_there(block: Any) -> bool:
    try:
        return bool(block.bl_rna and block.name_full)
    except ReferenceError:
        return False
