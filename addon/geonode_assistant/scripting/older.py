# SPDX-License-Identifier: GPL-3.0-or-later
"""Accesses of scripts that were written for another Blender, where what they mean here is certain.

They are looked at only once Blender has refused one: then the same thing is done in the way of this Blender, through
the same guards, and a note says so. Positions of sockets (``inputs[2]``) are those of an older Blender where the script
has shown that it was written for one, or where nothing else is possible.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import bpy

from .. import native
from ..host import catalogue
from . import dynamic_types

LOAD, STORE, ITEM, STORE_ITEM = 0, 1, 3, 4
"""Kinds of access, as of ``membrane``."""
_VERSION = bpy.app.version[:2]
_BEFORE = tuple(version for version in ("4.2", "4.5", "5.0") if tuple(map(int, version.split("."))) < _VERSION)
"""The older Blenders whose nodes are known."""
_PRINCIPLED = {
    "Clearcoat": "Coat Weight",
    "Clearcoat Normal": "Coat Normal",
    "Clearcoat Roughness": "Coat Roughness",
    "Emission": "Emission Color",
    "Sheen": "Sheen Weight",
    "Specular": "Specular IOR Level",
    "Subsurface": "Subsurface Weight",
    "Transmission": "Transmission Weight",
}
"""Inputs of the Principled BSDF that Blender 4.0 renamed."""
_ENGINES = {"BLENDER_EEVEE": "BLENDER_EEVEE_NEXT", "BLENDER_EEVEE_NEXT": "BLENDER_EEVEE"}
_MODIFIER_PARTS = {"_use_attribute": "type", "_attribute_name": "attribute_name", "": "value"}
"""Endings of the names that inputs of a Geometry Nodes modifier had, with the property that they are now."""
_OF_MODIFIER = r"""(modifiers\[(?:\d+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\])"""
_INPUT_BEFORE = re.compile(_OF_MODIFIER + r"""\[["'](Socket_\d+)["']\]$""")
_INPUT_NOW = re.compile(_OF_MODIFIER + r"""\.properties\.inputs\.(Socket_\d+)\.value$""")
"""The path of an input of a Geometry Nodes modifier from its object, before 5.2 and since."""
_ALONE = frozenset({"MENU", "GEOMETRY", "STRING", "OBJECT", "COLLECTION", "MATERIAL", "IMAGE", "CUSTOM"})
"""Types of sockets that take nothing else."""
_SUBTYPED = ("Float", "Int", "Vector", "String")
MOST_NOTES = 20
MOST_POSITIONS = 10_000

Guards = dict[str, Callable[..., Any]]


class Older:
    """What one script, or the record of one, does in an older way."""

    def __init__(self) -> None:
        self.guards: Guards = {}
        """The guards that a script has, the recorder's if there is one."""
        self._notes: dict[str, None] = {}
        self._doubts: dict[str, None] = {}
        self._known: set[int] = set()
        """Nodes that the script has used as an older Blender had them."""
        self._positions: dict[int, tuple[Any, int]] = {}
        """Sockets that it has by their position, with the list and the position."""
        self._busy = False
        self.listens = True
        """Whether anything is done otherwise: a script that adapts itself to what it finds needs no help."""

    def notes(self) -> list[str]:
        """What was done otherwise than it was written, each once."""
        found = list(self._notes)
        more = len(found) - MOST_NOTES
        return found[:MOST_NOTES] + ([f"{more} more of this kind"] if more > 0 else [])

    def doubts(self) -> list[str]:
        """Positions of sockets that are others in an older Blender, where nothing shows which one is meant."""
        return list(self._doubts)[:MOST_NOTES]

    def note(self, text: str) -> None:
        """Says that something was done in another way."""
        self._notes[text] = None

    # -- what Blender has refused

    def again(self, kind: int, thing: Any, name: Any, value: Any) -> Any:
        """Does what the script means; ``NotImplemented`` where that is not certain."""
        of_blender = isinstance(thing, bpy.types.bpy_struct | bpy.types.bpy_prop_collection)
        if self._busy or not self.listens or not of_blender:
            return NotImplemented
        self._busy = True
        try:
            if kind == LOAD:
                return self._load(thing, name)
            if kind == ITEM:
                return self._item(thing, name)
            if kind == STORE_ITEM:
                return self._store_item(thing, name, value)
            return self._store(thing, name, value) if kind == STORE else NotImplemented
        finally:
            self._busy = False

    def _load(self, thing: Any, name: str) -> Any:
        if name == "fcurves" and isinstance(thing, bpy.types.Action):
            return self._curves(thing)
        if name in ("inputs", "outputs") and isinstance(thing, bpy.types.NodeTree):
            return Sockets(self, thing, name)
        return NotImplemented

    def _curves(self, action: Any) -> Any:
        """The curves of an action with one slot; from 5.0 on they belong to that."""
        slots: Any = getattr(action, "slots", ())
        strips = [strip for layer in getattr(action, "layers", ()) for strip in layer.strips]
        bag = strips[0].channelbag(slots[0]) if len(slots) == 1 and len(strips) == 1 else None
        if bag is None:
            return NotImplemented
        self.note("action.fcurves: the curves of the action's only slot (channelbag.fcurves)")
        return bag.fcurves

    def _item(self, thing: Any, key: Any) -> Any:
        if isinstance(thing, bpy.types.Modifier):
            found = self._modifier_input(thing, key)
            if found is None:
                return self._without_input(thing, key)
            self.note(f'modifier["{key}"]: modifier.properties.inputs.{found[2]}.{found[1]}')
            value: Any = self.guards["load"](found[0], found[1])
            return value == "ATTRIBUTE" if found[1] == "type" else value
        node = _node_of(thing)
        if node is not None and type(key) is str:
            name = _PRINCIPLED.get(key, "") if node.bl_idname == "ShaderNodeBsdfPrincipled" else ""
            at = thing.find(name) if name else _index_of(thing, key)
            if at >= 0:
                self.note(f"{node.bl_label}: the socket “{key}” is “{thing[at].name}”")
                return thing[at]
        return NotImplemented

    def _store_item(self, thing: Any, key: Any, value: Any) -> Any:
        if not isinstance(thing, bpy.types.Modifier):
            return NotImplemented
        found = self._modifier_input(thing, key)
        if found is None:
            return self._without_input(thing, key)
        owner, name, identifier = found
        if name == "type":
            value = "ATTRIBUTE" if value else "VALUE"
        self._busy = False  # a whole number may be needed
        self.guards["store"](value, owner, name)
        self.note(f'modifier["{key}"]: modifier.properties.inputs.{identifier}.{name}')
        return None

    def _modifier_input(self, modifier: Any, key: Any) -> tuple[Any, str, str] | None:
        """The input that a key meant before 5.2, with its property and identifier."""
        inputs = getattr(getattr(modifier, "properties", None), "inputs", None)
        if inputs is None or type(key) is not str:
            return None
        ending = next(one for one in _MODIFIER_PARTS if key.endswith(one))
        identifier = key.removesuffix(ending)
        if not identifier.startswith("Socket_") or identifier not in inputs.bl_rna.properties:
            return None
        owner = getattr(inputs, identifier)
        name = _MODIFIER_PARTS[ending]
        return (owner, name, identifier) if name in owner.bl_rna.properties else None

    def _without_input(self, modifier: Any, key: Any) -> Any:
        inputs = getattr(getattr(modifier, "properties", None), "inputs", None)
        if inputs is None or type(key) is not str:
            return NotImplemented
        known = [one for one in inputs.bl_rna.properties.keys() if one.startswith("Socket_")]  # noqa: SIM118
        listed = ", ".join(known) or "none"
        raise KeyError(
            f"This modifier has no input {key!r}; its inputs are {listed}. "
            "Write modifier.properties.inputs.Socket_1.value = …"
        )

    def _store(self, thing: Any, name: str, value: Any) -> Any:
        engine = isinstance(thing, bpy.types.RenderSettings) and name == "engine"
        if engine and type(value) is str and value in _ENGINES:
            self.guards["store"](_ENGINES[value], thing, name)
            self.note(f"render.engine {value!r}: {_ENGINES[value]!r}")
            return None
        if isinstance(thing, bpy.types.Node) and name not in thing.bl_rna.properties:
            return self._property(thing, name, value)
        if type(value) is float and value.is_integer() and isinstance(thing, bpy.types.bpy_struct):
            prop: Any = thing.bl_rna.properties.get(name)
            if prop is not None and prop.type == "INT" and not prop.array_length:
                self.guards["store"](int(value), thing, name)
                self.note(f"{_called(thing)}.{name} takes whole numbers: {value} as {int(value)}")
                return None
        return NotImplemented

    def _property(self, node: Any, name: str, value: Any) -> Any:
        """A property of a node that is a menu among its inputs now."""
        menu = _menu(node.bl_idname, name)
        if menu is None or type(value) is not str or value not in menu[1]:
            return NotImplemented
        identifier, labels = menu
        at = _index_of_identifier(node.inputs, identifier)
        if at < 0:
            return NotImplemented
        self.guards["store"](labels[value], node.inputs[at], "default_value")
        self._known.add(node.as_pointer())
        self.note(f"{node.bl_label}: {name} = {value!r} is the input “{node.inputs[at].name}”, {labels[value]!r}")
        return None

    def path(self, path: Any) -> Any:
        """A path that something is to be animated by; that of a modifier's input as this Blender has it."""
        if not self.listens or type(path) is not str:
            return path
        found = (_INPUT_BEFORE if dynamic_types.DYNAMIC else _INPUT_NOW).search(path)
        if found is None:
            return path
        here = f".properties.inputs.{found[2]}.value" if dynamic_types.DYNAMIC else f'["{found[2]}"]'
        now = path[: found.end(1)] + here
        self.note(f"{path}: {now}")
        return now

    # -- positions of sockets

    def socket(self, sockets: Any, key: Any) -> Any:
        """``sockets[key]`` for the inputs or outputs of a node."""
        node = _node_of(sockets) if type(key) is int and self.listens else None
        if node is None:
            return self.guards["item"](sockets, key)
        at = self._place(sockets, key, node) if node.as_pointer() in self._known or key >= len(sockets) else None
        found = self.guards["item"](sockets, key if at is None else at)
        if at is None:
            if len(self._positions) < MOST_POSITIONS:
                self._positions[found.as_pointer()] = sockets, key
            self._doubt(sockets, key, node)
        return found

    def _doubt(self, sockets: Any, key: int, node: Any) -> None:
        """Says so if a position was another socket's in an older Blender, and both would take the same."""
        at = None if node.as_pointer() in self._known else self._place(sockets, key, node, note=False)
        if at is None:
            return
        was, here = sockets[at].type, sockets[key].type
        if was == here or was not in _ALONE and here not in _ALONE:
            side = "inputs" if sockets == node.inputs else "outputs"
            self._doubts[
                f"{node.bl_label}: the script counts sockets. {side}[{key}] is “{sockets[key].name}” in this Blender "
                f"and was “{sockets[at].name}” in an older one; {side}[{sockets[key].name!r}] would be certain"
            ] = None

    def store_socket(self, value: Any, sockets: Any, key: Any) -> None:
        """``sockets[key].default_value = value``."""
        found = self.socket(sockets, key)
        try:
            self.guards["store"](value, found, "default_value")
        except (TypeError, AttributeError, ValueError):
            node = _node_of(sockets) if type(key) is int and self.listens else None
            at = None if node is None else self._place(sockets, key, node, note=False)
            if node is None or at is None or sockets[at] == found:
                raise
            other = self.guards["item"](sockets, at)
            try:
                self.guards["store"](value, other, "default_value")
            except (TypeError, AttributeError, ValueError):
                other = None
            if other is None:
                raise
            self._place(sockets, key, node)
            self._known.add(node.as_pointer())

    def linked(self, socket: Any, other: Any) -> Any:
        """The socket that a link with ``other`` means, where the script has ``socket`` by its position."""
        if not isinstance(socket, bpy.types.NodeSocket) or not isinstance(other, bpy.types.NodeSocket):
            return socket
        if socket.type not in _ALONE or socket.type == other.type:
            return socket
        sockets, key = self._positions.get(socket.as_pointer(), (None, 0))
        node = _node_of(sockets)
        at = None if node is None else self._place(sockets, key, node, note=False)
        if node is None or at is None or key >= len(sockets) or sockets[key] != socket:
            return socket
        there, wanted = sockets[at].type, other.type
        fits = there == wanted if there in _ALONE else wanted not in _ALONE
        if fits:
            self._place(sockets, key, node)
            self._known.add(node.as_pointer())
            return self.guards["item"](sockets, at)
        return socket

    def _place(self, sockets: Any, key: int, node: Any, note: bool = True) -> int | None:
        """Where the socket is now that had this position; None if it has not moved, or Blenders differ."""
        side = "inputs" if sockets == node.inputs else "outputs"
        had = _moved(node.bl_idname, side, key)
        at = -1 if had is None else _index_of_former(sockets, *had)
        if at < 0 or at == key:
            return None
        if note:
            self.note(f"{node.bl_label}: {side}[{key}] is “{sockets[at].name}”, {side}[{at}] in this Blender")
        return at


def adapts(source: str) -> bool:
    """Whether a script finds out itself what this Blender has: by its version, by `hasattr()`, or by trying."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Try(handlers=[_, *_]) | ast.Attribute(attr="version"):
                return True
            case ast.Call(func=ast.Name(id="hasattr")):
                return True
    return False


class Sockets:
    """``tree.inputs`` of Blenders before 4.0, of which only ``new`` is left."""

    __slots__ = ("__older__", "__side__", "__tree__")

    def __init__(self, older: Older, tree: Any, side: str) -> None:
        self.__older__, self.__tree__, self.__side__ = older, tree, side

    def new(self, type: str, name: str) -> Any:
        """Adds an input or output to the interface of the tree."""
        older, guards = self.__older__, self.__older__.guards
        side = "INPUT" if self.__side__ == "inputs" else "OUTPUT"
        plain = next((f"NodeSocket{one}" for one in _SUBTYPED if type.startswith(f"NodeSocket{one}")), type)
        interface = guards["load"](self.__tree__, "interface")
        made = guards["load"](interface, "new_socket")(name=name, in_out=side, socket_type=plain)
        if plain != type:
            guards["store"](type.removeprefix(plain).upper(), made, "subtype")
        older.note(f"tree.{self.__side__}.new(): tree.interface.new_socket(in_out={side!r})")
        return made


class _Running:
    """The script that runs."""

    older = Older()
    free: Callable[..., Any] | None = None
    """``_nodes`` while a script runs, which may read files."""


def begin() -> Older:
    """A new script, before its guards are made."""
    _Running.older = Older()
    return _Running.older


def current() -> Older:
    """That of the script that runs, or ran last."""
    return _Running.older


def prepare() -> None:
    """Called before the first line of a script."""
    _Running.free = native.core().alarm_free(_nodes)


def end() -> None:
    """Called after a script. A native function that is left when Python ends would wait for it forever."""
    _Running.free = None


# -- the nodes of other Blenders


@cache
def _nodes(version: str) -> dict[str, Any]:
    """The node types of a Blender; none if they are not shipped."""
    file = catalogue.SHIPPED / f"{version}.json"
    if not file.is_file():
        return {}
    return json.loads(file.read_text(encoding="utf-8"))["nodes"]


def _types(version: str, idname: str) -> Any:
    found = (_Running.free or _nodes)(version).get(idname)
    return found if found is not None else {"properties": {}, "states": [{"inputs": [], "outputs": []}]}


def _here(idname: str) -> Any:
    return _types("{}.{}".format(*_VERSION), idname)


def _moved(idname: str, side: str, key: int) -> tuple[str, str, str] | None:
    """Identifier, name and type of the socket that had a position, in every older Blender in which it was another."""
    here = _here(idname)["states"][0][side]
    found = set()
    for version in _BEFORE:
        sockets = _types(version, idname)["states"][0][side]
        if 0 <= key < len(sockets):
            had = sockets[key]["identifier"], sockets[key]["name"], sockets[key]["type"]
            if key >= len(here) or had[0] != here[key]["identifier"]:
                found.add(had)
    return found.pop() if len(found) == 1 else None


def _menu(idname: str, name: str) -> tuple[str, dict[str, str]] | None:
    """The menu that a property of an older node became, and what its values are called there."""
    old: dict[str, Any] = next(
        (found for version in _BEFORE if (found := _types(version, idname)["properties"].get(name))), {}
    )
    items = [(identifier, label) for identifier, label in old.get("items", ())]
    if not items:
        return None
    fitting = []
    for socket in _here(idname)["states"][0]["inputs"]:
        there = socket.get("items")
        if there and socket["type"] == "NodeSocketMenu":
            same = len(there) == len(items)
            labels = {
                identifier: label if label in there else there[place]
                for place, (identifier, label) in enumerate(items)
                if label in there or same
            }
            if labels:
                fitting.append((socket["name"], (socket["identifier"], labels)))
    named = [found for label, found in fitting if _plain(label) in (_plain(name), _plain(old.get("label", "")))]
    if len(named) == 1:
        return named[0]
    return fitting[0][1] if len(fitting) == 1 else None


def _plain(label: str) -> str:
    return "".join(one for one in label.lower() if one.isalnum())


def _node_of(sockets: Any) -> Any:
    """The node to which a list of sockets belongs; None for any other list."""
    if not isinstance(sockets, bpy.types.bpy_prop_collection):
        return None
    kind = getattr(getattr(sockets, "bl_rna", None), "identifier", "")
    return sockets[0].node if kind in ("NodeInputs", "NodeOutputs") and len(sockets) else None


def _index_of(sockets: Any, key: str) -> int:
    """The socket that had this name in an older Blender: its identifier is still the same; -1 if there is none."""
    node = _node_of(sockets)
    side = "inputs" if sockets == node.inputs else "outputs"
    had = {
        socket["identifier"]
        for version in _BEFORE
        for socket in _types(version, node.bl_idname)["states"][0][side]
        if socket["name"] == key
    }
    return _index_of_identifier(sockets, had.pop()) if len(had) == 1 else -1


def _index_of_former(sockets: Any, identifier: str, name: str, kind: str) -> int:
    """The socket with this identifier; else the only one of this name and type, where a node has fewer than before."""
    at = _index_of_identifier(sockets, identifier)
    if at >= 0:
        return at
    same = [place for place, one in enumerate(sockets) if one.name == name and one.bl_idname.startswith(kind)]
    return same[0] if len(same) == 1 else -1


def _index_of_identifier(sockets: Any, identifier: str) -> int:
    return next((place for place, one in enumerate(sockets) if one.identifier == identifier), -1)


def _called(thing: Any) -> str:
    name = getattr(thing, "name", "")
    return f"“{name}”" if name else type(thing).__name__
