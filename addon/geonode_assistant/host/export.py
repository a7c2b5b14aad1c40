# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports node trees as IR (FORMATS.md, "Tree IR"). Reads only; equal state gives equal documents."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple, cast

import bpy

from . import custom_properties, identity, inert_state, interface, items, node_types, places, rna, values
from .documents import Bundle, Link, Node, Tree
from .errors import HostError, near

# Their type follows the links; their own value, which is hardly ever set, is exported if it is not empty.
_FOLLOWERS = frozenset({"NodeReroute"})
_TYPE_TOLD = "socket_idname" in bpy.types.NodeReroute.bl_rna.properties  # from 4.5 on
_FRESH_TYPE = "NodeSocketColor"
_FRESH_COLOR = (0.8, 0.8, 0.8, 1.0)
_read_socket = attrgetter("identifier", *rna.SOCKET_FLAGS)
_read_link = attrgetter(
    "from_node.name",
    "from_socket.identifier",
    "to_node.name",
    "to_socket.identifier",
    "to_socket.is_multi_input",
    "is_muted",
    "multi_input_sort_id",
)
_read_node = attrgetter("name", "bl_idname", "label", "parent")
# How long a step takes after which Blender goes on, how many nodes or links a portion has, and how often a tree that
# changes is read in steps.
STEP_S, _PORTION, _PASSES = 0.004, 64, 6
_UNKNOWN = (None, None, (False,) * len(rna.SOCKET_FLAGS))
# Their sockets follow an interface that may be in another tree, so their state is exported in full.
_GROUPS = frozenset({"GeometryNodeGroup"})


def export_tree(tree: Any, whole: bool = True) -> Bundle:
    """The bundle of a tree and of every group nested in it, each once; `whole` with what has no effect (`stored`)."""
    return _bundle([tree], values.block_name(tree), whole, {})


def export_in_steps(find: Callable[[], Any], whole: bool = True) -> Generator[None, None, Bundle]:
    """As ``export_tree`` of what ``find`` gives, in steps of `STEP_S`, between which the file may change: it is read
    until it was the same twice, so that what is returned is a state that it had. ``find`` may raise.
    """
    before: Bundle | None = None
    for _ in range(_PASSES):
        pace = Pace(STEP_S)
        now: Bundle | None = None
        with suppress(_Changed):
            now = yield from _steps(find, whole, pace)
        if now is not None and pace.steps == 1:
            return now
        yield
        if now is not None and now == before:
            return now
        before = now
    # Somebody changes it all the time.
    return export_tree(find(), whole)


def export_trees(names: Iterable[str], known: Mapping[str, Tree] | None = None) -> Bundle:
    """The bundle of several trees by name; `root` is null. Those that are `known` are not read again. Raises
    `unknown_node_group`.
    """
    trees: list[Any] = []
    for name in names:
        tree = bpy.data.node_groups.get(name)
        if tree is None:
            present = [g.name for g in bpy.data.node_groups if not g.name.startswith(".geonode")]
            raise HostError("unknown_node_group", f'This file has no node group "{name}". {near(name, present)}')
        trees.append(tree)
    return _bundle(trees, None, False, known or {})


def _bundle(roots: list[Any], root: str | None, whole: bool, known: Mapping[str, Tree]) -> Bundle:
    done: dict[str, Tree] = {}
    waiting = deque(roots)
    with rna.uncollected():
        while waiting:
            tree = waiting.popleft()
            name = values.block_name(tree)
            if name in done:
                continue
            if name in known:
                done[name], nested = known[name], list(_groups_of(tree))
            else:
                done[name], nested = export_one(tree, whole)
            waiting.extend(nested)
    return document(root, done)


def _groups_of(tree: Any) -> Iterator[Any]:
    """The groups that the nodes of a tree use."""
    groups = (getattr(node, "node_tree", None) for node in tree.nodes)
    return (group for group in groups if group is not None)


def document(root: str | None, trees: dict[str, Tree]) -> Bundle:
    """The bundle of these trees."""
    return {"ir": 1, "blender": list(bpy.app.version), "root": root, "trees": trees}


def export_one(tree: Any, whole: bool = False) -> tuple[Tree, list[Any]]:
    """One tree without its nested groups, and the groups that its nodes use; `whole` as for `export_tree`."""
    steps = _one(_Reading(lambda: tree, whole, Pace(None)))
    try:
        next(steps)
    except StopIteration as end:
        exported: tuple[Tree, list[Any]] = end.value
        return exported
    raise AssertionError("without a pace there is one step")


class _Changed(Exception):
    """The tree has other nodes than before."""


class Pace:
    """When a step has taken its time; never without `seconds`."""

    def __init__(self, seconds: float | None) -> None:
        self.steps = 1
        self._seconds = seconds
        self._until = 0.0 if seconds is None else time.perf_counter() + seconds

    def is_over(self) -> bool:
        """Whether the step ends here."""
        return self._seconds is not None and time.perf_counter() >= self._until

    def begin(self) -> None:
        """The next step begins."""
        self.steps += 1
        self._until = time.perf_counter() + (self._seconds or 0.0)

    def rest(self) -> Generator[None, None, None]:
        """Ends the step if its time is over."""
        if self.is_over():
            yield
            self.begin()


class _Reading:
    """A tree that is read in portions. Nothing of Blender's is held from one step to the next: it may be gone."""

    def __init__(self, find: Callable[[], Any], whole: bool, pace: Pace) -> None:
        self._find, self._pace, self.whole = find, pace, whole
        self.tree = find()
        self.ids = identity.node_ids(self.tree)

    def each(self, collection: str, read: Callable[[int, list[Any]], None]) -> Generator[None, None, None]:
        """Reads all of `nodes` or `links`, by the number of the first of a portion."""
        number, paced = 0, self._pace
        while part := getattr(self.tree, collection)[number : number + _PORTION]:
            read(number, part)
            number += len(part)
            if paced.is_over():
                yield
                paced.begin()
                self.tree = self._find()
                if identity.node_ids(self.tree) != self.ids:
                    raise _Changed


def _steps(find: Callable[[], Any], whole: bool, pace: Pace) -> Generator[None, None, Bundle]:
    done: dict[str, Tree] = {}
    root = values.block_name(find())
    waiting: deque[tuple[str, Callable[[], Any]]] = deque([(root, find)])
    while waiting:
        name, its = waiting.popleft()
        if name not in done:
            done[name], nested = yield from _one(_Reading(its, whole, pace))
            names = [values.block_name(group) for group in nested]
            waiting.extend((group, partial(_group, group)) for group in names)
    return document(root, done)


def _group(name: str) -> Any:
    try:
        return values.resolve("node_group", name)
    except HostError as error:
        raise _Changed from error


def _one(reading: _Reading) -> Generator[None, None, tuple[Tree, list[Any]]]:
    ids = reading.ids
    heads: list[tuple[Any, ...]] = []
    yield from reading.each("nodes", lambda _, part: heads.extend(map(_head, part)))
    id_of = {head[0]: node_id for head, node_id in zip(heads, ids, strict=True)}
    common = list(_common(reading.tree.nodes, heads))
    nested: list[Any] = []
    nodes: list[Node] = []

    def read_nodes(first: int, part: list[Any]) -> None:
        _learn({kind for _, kind, _, _ in heads[first : first + len(part)]})
        for number, node in enumerate(part, first):
            nodes.append(_node(node, ids[number], heads[number], common[number], id_of, nested))
        if reading.whole:
            for entry, more in zip(nodes[first:], inert_state.read(reading.tree, part), strict=True):
                if more:
                    entry["stored"] = more

    yield from reading.each("nodes", read_nodes)
    ends: list[tuple[Any, ...]] = []
    yield from reading.each("links", lambda _, part: ends.extend(map(_read_link, part)))
    described: Tree = {
        "settings": _settings(reading.tree),
        "interface": interface.read(reading.tree, reading.whole),
        "nodes": nodes,
        "links": _links(ends, id_of),
    }
    if reading.whole and (stored := dict(custom_properties.all_of(reading.tree))):
        described["stored"] = stored
    return described, nested


def _head(node: Any) -> tuple[Any, ...]:
    name, kind, label, parent = _read_node(node)
    return name, kind, label, parent and parent.name


class _Common(NamedTuple):
    """Properties that every node has, whatever its type."""

    x: float
    y: float
    width: float
    height: float
    color: tuple[float, ...]


def _common(nodes: Any, heads: list[tuple[Any, ...]]) -> Iterator[_Common]:
    """Reads the common properties with one call per property for the whole tree."""
    count = len(nodes)
    number_of = {head[0]: number for number, head in enumerate(heads)}
    located = places.read(nodes, [None if parent is None else number_of[parent] for *_, parent in heads])
    widths, heights, colors = [0.0] * count, [0.0] * count, [0.0] * (3 * count)
    if count:
        nodes.foreach_get("width", widths)
        nodes.foreach_get("height", heights)
        nodes.foreach_get("color", colors)
    of_colors = zip(colors[::3], colors[1::3], colors[2::3], strict=True)
    return map(_Common, located[::2], located[1::2], widths, heights, of_colors)


def _learn(kinds: set[str]) -> None:
    """Describes all types that are not known yet, with one scratch tree."""
    missing = [kind for kind in sorted(kinds) if kind not in node_types.known_types()]
    if missing:
        with rna.scratch_tree() as tree:
            for kind in missing:
                node_types.node_info(kind, lambda: tree)


_tree_fields: list[Any] = []


def tree_fields() -> tuple[rna.Fields, tuple[Any, ...]]:
    """State of a tree as a data-block, with the values of a fresh one."""
    if not _tree_fields:
        with rna.scratch_tree() as tree:
            skip = frozenset({"nodes", "links", "interface", "animation_data"})
            fields = rna.fields_of(tree, skip)
            _tree_fields.extend((fields, fields.read_plain(tree)))
    return _tree_fields[0], _tree_fields[1]


def _settings(tree: Any) -> dict[str, Any]:
    fields, fresh = tree_fields()
    now = fields.read_plain(tree)
    return {path: _plain(value) for path, value, old in zip(fields.plain, now, fresh, strict=True) if value != old}


def _plain(value: Any) -> Any:
    return (
        values.shortest_float(value) if isinstance(value, float) else sorted(value) if isinstance(value, set) else value
    )


def _node(
    node: Any, node_id: str, head: tuple[Any, ...], common: _Common, id_of: dict[str, str], nested: list[Any]
) -> Node:
    name, kind, label, parent = head
    info = node_types.node_info(kind)
    out: dict[str, Any] = {"id": node_id, "name": name, "type": kind}
    if label:
        out["label"] = label
    out["location"] = [common.x, common.y]
    if info is None:  # a type of another version or add-on: only its position is known
        if parent is not None:
            out["parent"] = id_of[parent]
        out.update(props={}, inputs={}, outputs={})
        return cast("Node", out)
    width = common.width
    if width != info.width and info.widths[0] <= width <= info.widths[1]:  # a reroute's is outside and cannot be set
        out["width"] = values.shortest_float(width)
    if parent is not None:
        out["parent"] = id_of[parent]
    if info.pairs and (end := rna.paired_output(node)) is not None:
        out["pair"] = id_of[end.name]
    out["props"] = _props(node, info, common, nested)
    if kind in _FOLLOWERS and not _TYPE_TOLD and node.inputs[0].bl_idname != _FRESH_TYPE:
        out["props"]["socket_idname"] = node.inputs[0].bl_idname
    lists = {
        path: entries for path in info.collections if (entries := items.read_items(node, path)) != info.lists.get(path)
    }
    if lists:
        out["items"] = lists
    whole = kind in _GROUPS
    out["inputs"] = _inputs(node.inputs, info.inputs, kind in _FOLLOWERS, whole)
    out["outputs"] = _outputs(node.outputs, info)
    return cast("Node", out)


def _props(node: Any, info: node_types.NodeInfo, common: _Common, nested: list[Any]) -> dict[str, Any]:
    fields = info.fields
    props: dict[str, Any] = {}
    now = fields.read_plain(node)
    if now != info.plain:
        for path, value, old in zip(fields.plain, now, info.plain, strict=True):
            if value != old:
                props[path] = _plain(value)
    if common.height != info.height:
        props["height"] = values.shortest_float(common.height)
    for path, old in info.arrays.items():
        flat = common.color if path == "color" else fields.read_array(node, path)
        if flat != old:
            props[path] = [values.to_json(part) for part in flat]
    for path, old in info.blocks.items():
        block = attrgetter(path)(node)
        if (block and block.name) != old:
            props[path] = values.to_json(block)
        if block is not None and path == "node_tree":
            nested.append(block)
    return props


def _inputs(sockets: Any, fresh: dict[str, Any], follows: bool, whole: bool) -> dict[str, Any]:
    kinds = rna.VALUE_KINDS
    out: dict[str, Any] = {}
    for socket in sockets:
        identifier, *flags = _read_socket(socket)
        now = tuple(flags)
        kind = type(socket)
        known = fresh.get(identifier)
        value_kind = kinds.get(kind) or rna.value_kind(socket)
        entry: dict[str, Any] | None = None
        if known is None or known[0] is not kind:  # depends on properties, items or another tree: exported in full
            known = _UNKNOWN
            if value_kind != "none":
                value = rna.raw_value(socket)
                if (not follows or _is_set(socket, value)) and not _is_empty_menu(socket, value):
                    entry = {"value": _json(value)}
        elif value_kind != "none":
            value = socket.default_value
            if value_kind == "array":
                value = value[:]
            exported = value.name if value_kind == "block" and value is not None else value
            if (whole or exported != known[1]) and not _is_empty_menu(socket, value):
                entry = {"value": _json(value)}
        if now != known[2]:
            entry = entry or {}
            entry.update({f: bool(n) for f, n, old in zip(rna.SOCKET_FLAGS, now, known[2], strict=True) if n != old})
        if entry:
            out[identifier] = entry
    return out


def _is_empty_menu(socket: Any, value: Any) -> bool:
    """Whether the socket is a menu without items, or without the item of its number, so that no value can be set."""
    return value == "" and rna.is_menu(socket)


def _is_set(socket: Any, value: Any) -> bool:
    """Whether a socket of any type has a value other than that of a new one."""
    if not isinstance(value, tuple):
        return bool(value)
    return value != _FRESH_COLOR if socket.type == "RGBA" else any(value)


def _outputs(sockets: Any, info: node_types.NodeInfo) -> dict[str, Any]:
    """Exports what an artist can set of outputs: whether they are hidden, and the value of input nodes such as
    Value.
    """
    count = len(sockets)
    if not count:
        return {}
    hidden = [False] * count
    sockets.foreach_get("hide", hidden)
    if info.inputs and True not in hidden:
        return {}
    out: dict[str, Any] = {}
    for socket, hide in zip(sockets, hidden, strict=True):
        entry: dict[str, Any] = {}
        known = info.outputs.get(socket.identifier)
        if not info.inputs and known is not None:
            value = rna.raw_value(socket)
            if known[0] is not type(socket) or known[1] != value:
                entry["value"] = _json(value)
        if hide:
            entry["hide"] = True
        if entry:
            out[socket.identifier] = entry
    return out


def _json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [values.shortest_float(part) if isinstance(part, float) else part for part in value]
    return values.shortest_float(value) if isinstance(value, float) else values.to_json(value)


def _links(ends: list[tuple[Any, ...]], id_of: dict[str, str]) -> list[Link]:
    found: list[Link] = []
    multi: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for source, output, target, identifier, is_multi, is_muted, sort in ends:
        end = (id_of[target], identifier)
        entry: Link = {"from": [id_of[source], output], "to": [*end]}
        if is_muted:
            entry["muted"] = True
        if is_multi:
            multi.setdefault(end, []).append((sort, len(found)))
        found.append(entry)
    for ranks in multi.values():
        places = sorted(place for _, place in ranks)
        in_order = [found[place] for _, place in sorted(ranks)]
        for rank, (place, entry) in enumerate(zip(places, in_order, strict=True)):
            entry["sort"] = rank
            found[place] = entry
    return found
