# SPDX-License-Identifier: GPL-3.0-or-later
"""A Geometry Nodes tree in plain words: what goes in, what happens to the geometry in which order, what comes out.

Of a node it is told which inputs of the tree and which sources of values lie behind its own; where there are none, what
Blender says about it, in the language of the caller. Nothing is written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

_GEOMETRY = "GEOMETRY"
# Nodes that pass geometry on and values with it; what other nodes that make geometry tell of it is their own.
_PASSES = ("GeometryNodeCaptureAttribute", "GeometryNodeGroup")
_ENDS = frozenset({"NodeGroupInput", "NodeGroupOutput"})
# Nodes of a path that are explained, and inputs that are named of one node.
MOST_NODES, MOST_INPUTS = 60, 4
# Inputs of the tree that are named behind one input of a node.
_MOST_BEHIND_ONE = 8
# Nodes that values come from, such as textures, attributes, the normal; others only calculate with them.
_SOURCES = ("ShaderNodeTex", "GeometryNodeInput", "FunctionNodeRandomValue", "GeometryNodeImageTexture")
# Nodes behind an input that are looked through for the inputs of the tree that drive it.
_MOST_BEHIND = 200


def _as_it_is(text: str, /, **places: object) -> str:
    return text.format(**places) if places else text


class Words(NamedTuple):
    """How things are said."""

    say: Callable[..., str] = _as_it_is
    """A sentence, with what fills its places, or a name that Blender gives."""
    name: Callable[[str], str] = _as_it_is
    """The name of an input or output of the tree."""
    about: Callable[[str], str] = _as_it_is
    """What Blender says about a node."""


class Part(NamedTuple):
    """One thing to say about a tree."""

    text: str
    node: str = ""
    """Name of the node that it is about; empty for the whole tree."""


class _Wires:
    """What leads where in a tree, read once: a socket that is asked for its links goes through all of the tree."""

    def __init__(self, tree: Any) -> None:
        self._into: defaultdict[int, list[Any]] = defaultdict(list)
        self._to: defaultdict[int, list[Any]] = defaultdict(list)
        for link in tree.links:
            self._into[link.to_socket.as_pointer()].append(link)
            self._to[link.to_node.as_pointer()].append(link)
        for links in self._into.values():
            if len(links) > 1:
                links.sort(key=lambda link: link.multi_input_sort_id, reverse=True)
        self._starts: defaultdict[int, list[Any]] = defaultdict(list)
        for node in tree.nodes:
            # The two ends of a zone belong together.
            pair = getattr(node, "paired_output", None)
            if pair is not None:
                self._starts[pair.as_pointer()].append(node)

    def into(self, socket: Any) -> list[Any]:
        """The links into an input, in their order."""
        return self._into.get(socket.as_pointer(), [])

    def to(self, node: Any) -> list[Any]:
        """The links into any input of a node, in no order."""
        return self._to.get(node.as_pointer(), [])

    def before(self, node: Any) -> list[Any]:
        """The nodes that a link leads from to this one."""
        return [link.from_node for link in self.to(node)]

    def starts(self, node: Any) -> list[Any]:
        """The input node of a zone whose output node this is."""
        return self._starts.get(node.as_pointer(), [])


def explain(tree: Any, words: Words | None = None) -> list[Part]:
    """The tree in a few lines, in the order in which geometry flows through it; in English without ``words``."""
    words = words or Words()
    say = words.say
    named = [_names(tree, side, words) for side in ("INPUT", "OUTPUT")]
    count = sum(node.type not in ("FRAME", "REROUTE") for node in tree.nodes)
    nodes = say("{count} nodes", count=count) if count != 1 else say("1 node")
    parts = [Part(say("{nodes}. In: {inputs}. Out: {outputs}.", nodes=nodes, inputs=named[0], outputs=named[1]))]
    end = next((n for n in tree.nodes if n.bl_idname == "NodeGroupOutput" and n.is_active_output), None)
    if end is None:
        return [*parts, Part(say("It has no Group Output, so nothing comes out."))]
    wires = _Wires(tree)
    path = _path(end, wires)
    parts += [Part(_sentence(node, wires, words), node.name) for node in path[:MOST_NODES]]
    if not path:
        straight = any(True for socket in end.inputs if socket.is_linked)
        parts.append(Part(say("What comes in goes out as it is." if straight else "Nothing is linked to its output.")))
    if len(path) > MOST_NODES:
        parts.append(Part(say("and {count} more", count=len(path) - MOST_NODES)))
    used = {node.as_pointer() for node in _behind(end, wires)}
    idle = [n for n in tree.nodes if n.as_pointer() not in used and n.bl_idname not in _ENDS and n.type != "FRAME"]
    if idle:
        nodes = say("{count} nodes", count=len(idle)) if len(idle) != 1 else say("1 node")
        text = say("{nodes} without effect on the result: {titles}.", nodes=nodes, titles=_listed(idle, words))
        parts.append(Part(text, idle[0].name))
    return parts


def _names(tree: Any, side: str, words: Words) -> str:
    found = [i.name for i in tree.interface.items_tree if i.item_type == "SOCKET" and i.in_out == side]
    return ", ".join(map(words.name, found)) or words.say("nothing")


def _listed(nodes: Iterable[Any], words: Words) -> str:
    titles = [f"“{_title(node, words)}”" for node in nodes]
    listed = ", ".join(titles[:MOST_INPUTS])
    more = len(titles) - MOST_INPUTS
    return words.say("{listed} and {count} more", listed=listed, count=more) if more > 0 else listed


def _title(node: Any, words: Words) -> str:
    group = getattr(node, "node_tree", None)
    return node.label or (group.name if group is not None else words.say(node.bl_rna.name))


def _sources(node: Any, wires: _Wires) -> list[Any]:
    """The nodes that geometry comes from, in the order of the inputs; across reroutes."""
    links = [link for link in wires.to(node) if link.to_socket.type == _GEOMETRY]
    if len(links) > 1:
        links = [link for socket in node.inputs if socket.type == _GEOMETRY for link in wires.into(socket)]
    return [link.from_node for link in links if not link.is_muted]


def _path(end: Any, wires: _Wires) -> list[Any]:
    """The nodes that geometry passes on its way to this one, each after those that it comes from."""
    order: list[Any] = []
    seen = {end.as_pointer()}
    stack = [(end, iter(_sources(end, wires)))]
    while stack:
        node, sources = stack[-1]
        source = next(sources, None)
        if source is None:
            stack.pop()
            if node is not end and node.bl_idname not in _ENDS and node.type != "REROUTE":
                order.append(node)
        elif source.as_pointer() not in seen:
            seen.add(source.as_pointer())
            stack.append((source, iter(_sources(source, wires))))
    return order


def _behind(end: Any, wires: _Wires) -> list[Any]:
    """This node and all that lead to it."""
    seen, queue, found = {end.as_pointer()}, [end], [end]
    while queue:
        node = queue.pop()
        pair = getattr(node, "paired_output", None)
        for other in [*wires.before(node), *([pair] if pair is not None else []), *wires.starts(node)]:
            if other.as_pointer() not in seen:
                seen.add(other.as_pointer())
                found.append(other)
                queue.append(other)
    return found


def _sentence(node: Any, wires: _Wires, words: Words) -> str:
    """What drives a node in this tree; of one that nothing drives, what such a node does."""
    say, title = words.say, _title(node, words)
    driven = []
    for socket in node.inputs:
        if socket.type == _GEOMETRY or not socket.is_linked or not socket.enabled:
            continue
        inputs, sources = _behind_socket(socket, wires)
        names = [f"“{words.name(name)}”" for name in inputs[:_MOST_BEHIND_ONE]]
        titles = [_title(source, words) for source in sources[:MOST_INPUTS]]
        places = {"socket": say(socket.name or "value"), "names": ", ".join(names), "nodes": ", ".join(titles)}
        if names and titles:
            driven.append(say("{socket} from {nodes} by {names}", **places))
        elif titles:
            driven.append(say("{socket} from {nodes}", **places))
        elif names:
            driven.append(say("{socket} by {names}", **places))
    text = "; ".join(driven[:MOST_INPUTS])
    if not driven:
        does = node.bl_rna.description
        told = words.about(does)
        # Other languages begin some of these with a noun.
        text = f"{told[:1].lower()}{told[1:]}" if told == does else told
    text = f"{title}: {text}" if text else title
    return say("{text} [switched off]", text=text) if node.mute else text


def _behind_socket(socket: Any, wires: _Wires) -> tuple[list[str], list[Any]]:
    """Names of the tree's inputs that a socket depends on, other than geometry, and the nodes that its values come
    from.
    """
    names: dict[str, None] = {}
    sources: list[Any] = []
    queue, seen = [socket], 0
    known = set()
    while queue and seen < _MOST_BEHIND:
        for link in wires.into(queue.pop(0)):
            seen += 1
            node = link.from_node
            if node.bl_idname == "NodeGroupInput":
                if link.from_socket.type != _GEOMETRY:
                    names[link.from_socket.name] = None
            elif node.as_pointer() not in known and _passes_values(node):
                known.add(node.as_pointer())
                if node.bl_idname.startswith(_SOURCES):
                    sources.append(node)
                queue += [s for s in node.inputs if s.is_linked and s.type != _GEOMETRY]
    return list(names), sources


def _passes_values(node: Any) -> bool:
    """Whether a value that comes out of a node depends on those that go in: how a distributed point is turned does not
    depend on how many there are.
    """
    is_zone = node.bl_idname.endswith(("Input", "Output"))
    return is_zone or node.bl_idname in _PASSES or not any(socket.type == _GEOMETRY for socket in node.outputs)
