# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue: every node type that this Blender can create in a geometry tree (FORMATS.md, "Catalogue").

Everything is read from new nodes in scratch trees, which are removed afterwards. `python -m
geonode_assistant.host.catalogue OUT` writes the catalogue of the running Blender.
"""

from __future__ import annotations

import ast
import itertools
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from . import folders, items, node_types, ramps, rna, structures, values
from .errors import HostError
from .replacing import replace

COMBINATION_LIMIT = 512
SHIPPED = Path(__file__).parent.parent / "data" / "catalogue"
# Those of the properties common to all nodes that a plan may reasonably set.
_COMMON = ("mute", "hide", "use_custom_color", "color")
_CATEGORY = {
    "NodeFrame": "frame",
    "NodeReroute": "reroute",
    "NodeGroupInput": "group_input",
    "NodeGroupOutput": "group_output",
    "GeometryNodeViewer": "viewer",
    "GeometryNodeGroup": "group",
}
_ZONE_KIND = {"ForeachGeometryElement": "for_each"}
_HUGE = {int: 2**31 - 1, float: 3.0e38}


def introspect() -> dict[str, Any]:
    """The live catalogue. Deterministic; takes some seconds."""
    nodes = {}
    with rna.scratch_tree() as tree, _silent():
        for name in sorted(_candidates()):
            described = _node_type(tree, name)
            if described is not None:
                nodes[name] = described
            tree.nodes.clear()
    sockets, conversions = _socket_types()
    return {
        "catalogue": 1,
        "blender": "{}.{}.{}".format(*bpy.app.version),
        "build_hash": build_hash(),
        "nodes": nodes,
        "sockets": sockets,
        "conversions": conversions,
    }


def build_hash() -> str:
    """Identifies this build among others of the same version."""
    value = bpy.app.build_hash
    return value.decode() if isinstance(value, bytes) else str(value)


def dumps(catalogue: dict[str, Any]) -> str:
    """Compact text with one line per node type, so that differences are readable."""

    def short(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    head = {k: v for k, v in catalogue.items() if k != "nodes"}
    lines = [short(head)[:-1] + ',"nodes":{']
    lines += [f"{short(name)}:{short(node)}," for name, node in catalogue["nodes"].items()]
    lines[-1] = lines[-1].rstrip(",")
    return "\n".join([*lines, "}}", ""])


def path() -> str:
    """Path of the catalogue for this Blender; created on first use if none is shipped for this build."""
    return str(catalogue_for_this_blender(folders.own_folder()))


def catalogue_for_this_blender(cache_dir: Path | str) -> Path:
    """Path of the catalogue for the running Blender: the shipped one if it is of exactly this build, else one created
    now and cached in `cache_dir` under the build's hash.
    """
    return known(cache_dir) or write_into(cache_dir)


def known(cache_dir: Path | str) -> Path | None:
    """Path of the catalogue for the running Blender that is there already; None if it has to be made."""
    version = "{}.{}".format(*bpy.app.version[:2])
    shipped = SHIPPED / f"{version}.json"
    if shipped.is_file():
        with shipped.open(encoding="utf-8") as file:
            head = file.readline()
        if f'"build_hash":"{build_hash()}"' in head and '"blender":"{}.{}.{}"'.format(*bpy.app.version) in head:
            return shipped
    cached = _cached(cache_dir)
    return cached if cached.is_file() else None


def names(path: Path) -> Iterator[str]:
    """The names of the node types in the file of a catalogue, read line by line."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.startswith('"'):
                yield line.split('"', 2)[1]


def write_into(cache_dir: Path | str) -> Path:
    """Makes the catalogue for the running Blender and returns its path. Takes some seconds."""
    cached = _cached(cache_dir)
    cached.parent.mkdir(parents=True, exist_ok=True)
    temporary = cached.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(dumps(introspect()), encoding="utf-8")
    replace(temporary, cached)
    return cached


def _cached(cache_dir: Path | str) -> Path:
    return Path(cache_dir) / "catalogue-3-{}.{}.{}-{}.json".format(*bpy.app.version, build_hash())


def _candidates() -> Iterator[str]:
    for name in dir(bpy.types):
        kind = getattr(bpy.types, name)
        # Types that add-ons register are in modules of their own; the catalogue describes the build only.
        if (
            isinstance(kind, type)
            and issubclass(kind, bpy.types.Node)
            and kind.__module__ in {"bpy.types", "bpy_types", "nodeitems"}
        ):
            yield name


@contextmanager
def _silent() -> Iterator[None]:
    """Suppresses the lines that Blender prints for every node type it refuses, and for subtypes that sockets have but
    interfaces lack.
    """
    streams = (sys.stdout, sys.stderr)
    for stream in streams:
        stream.flush()
    saved = [os.dup(number) for number in (1, 2)]
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        for number in (1, 2):
            os.dup2(sink, number)
        yield
    finally:
        for stream in streams:
            stream.flush()
        for number, copy in zip((1, 2), saved, strict=True):
            os.dup2(copy, number)
            os.close(copy)
        os.close(sink)


# -- one node type
# --------------------------------------------------------------------------------------------------------------


class _Maker:
    """Creates new nodes of one type; the ends of a zone are created as a pair, since alone they have no sockets."""

    def __init__(self, tree: Any, name: str) -> None:
        self.tree = tree
        self.name = name

    def fresh(self) -> Any:
        self.tree.nodes.clear()
        node = self.tree.nodes.new(self.name)
        start, end = (node, None) if hasattr(node, "pair_with_output") else (None, node)
        try:
            if start is not None:
                rna.pair(start, self.tree.nodes.new(self.name.removesuffix("Input") + "Output"))
            elif self.name.endswith("Output"):
                other = self.tree.nodes.new(self.name.removesuffix("Output") + "Input")
                if hasattr(other, "pair_with_output"):
                    rna.pair(other, end)
        except (RuntimeError, HostError):
            pass
        return self.tree.nodes[0]


def _node_type(tree: Any, name: str) -> dict[str, Any] | None:
    try:
        node = tree.nodes.new(name)
    except RuntimeError:
        return None
    maker = _Maker(tree, name)
    node = maker.fresh()
    out: dict[str, Any] = {"label": node.bl_rna.name}
    category = _category(node)
    if category:
        out["category"] = category
    out["width"] = values.shortest_float(node.width)
    own = [p for p in rna.state_properties(node) if p.identifier not in bpy.types.Node.bl_rna.properties]
    common = [p for p in rna.state_properties(node) if p.identifier in _COMMON]
    choices = {
        p.identifier: _choices(node, p)
        for p in own
        if p.type in {"ENUM", "BOOLEAN"}
        and not p.is_readonly
        and not (p.type == "ENUM" and p.is_enum_flag)
        and not getattr(p, "is_array", False)
    }
    limits: dict[tuple[str, str], dict[str, Any]] = {}
    states, names, variants = _states(maker, choices, limits)
    node = maker.fresh()
    out["properties"] = {
        p.identifier: described
        for p in [*own, *common]
        if (described := _property(node, p, choices.get(p.identifier))) is not None
    }
    out["properties"] |= {path: _property(owner, p, _listed(p)) for path, owner, p in ramps.properties(node)}
    info = node_types.node_info(name, lambda: tree)
    node = maker.fresh()
    lists = [path for path in (info.collections if info else ()) if "." not in path]
    if lists:
        fields = {path: _item_type(node, path) for path in lists}
        out["collections"] = {path: {"fields": fields[path], **_item_sockets(maker, path)} for path in lists}
    if stops := ramps.collections(maker.fresh(), info.collections if info else ()):
        out["collections"] = stops
    out["states"] = states
    if names:
        out["state_properties"] = names
        out["variants"] = variants
    return out


def _category(node: Any) -> str | None:
    name = node.bl_idname
    if name in _CATEGORY:
        return _CATEGORY[name]
    for ending, side in (("Input", "in"), ("Output", "out")):
        if name.endswith(ending):
            stem = name.removesuffix(ending)
            start = getattr(bpy.types, stem + "Input", None)
            if start is not None and "pair_with_output" in start.bl_rna.functions:
                kind = stem.removeprefix("GeometryNode").removeprefix("Node")
                return f"zone:{_ZONE_KIND.get(kind, kind.lower())}:{side}"
    return None


def legal_items(owner: Any, name: str) -> list[str]:
    """The items that an enum currently accepts, read from the error that Blender raises for an illegal one."""
    try:
        setattr(owner, name, "\0 no such item")
    except TypeError as error:
        found = re.search(r"not found in (\(.*\))", str(error), re.DOTALL)
        if found:
            try:
                return [item for item in ast.literal_eval(found.group(1)) if item]
            except (ValueError, SyntaxError):
                return []
    return []


def _listed(prop: Any) -> list[str] | None:
    return [item.identifier for item in prop.enum_items] if prop.type == "ENUM" else None


def _choices(node: Any, prop: Any) -> list[Any]:
    if prop.type == "BOOLEAN":
        return [False, True]
    every = [item.identifier for item in prop.enum_items]
    return every or legal_items(node, prop.identifier)


def _set(node: Any, name: str, value: Any) -> bool:
    try:
        setattr(node, name, value)
    except TypeError:
        return False
    return getattr(node, name) == value


def _signature(node: Any) -> tuple[Any, ...]:
    return tuple(
        (s.identifier, s.name, s.bl_idname, s.enabled and not s.is_unavailable)
        for side in (node.inputs, node.outputs)
        for s in side
    )


def _states(
    maker: _Maker, choices: dict[str, list[Any]], limits: dict[tuple[str, str], dict[str, Any]]
) -> tuple[list[Any], list[str], dict[str, int]]:
    """The states of a node type, the properties that choose among them, and the table of choices.

    `choices` loses the items that no combination accepts.
    """
    relevant = _relevant(maker, choices)
    states: list[Any] = []
    index: dict[str, int] = {}

    def state_of(node: Any) -> int:
        state = {
            "inputs": [_socket(maker, node, s, limits) for s in node.inputs],
            "outputs": [_socket(maker, node, s, limits) for s in node.outputs],
        }
        structures.describe(maker.tree, node, state)
        key = json.dumps(state)
        if key not in index:
            index[key] = len(states)
            states.append(state)
        return index[key]

    state_of(maker.fresh())
    variants: dict[str, int] = {}
    if relevant:
        for combination in itertools.islice(
            itertools.product(*(choices[name] for name in relevant)), COMBINATION_LIMIT
        ):
            node = maker.fresh()
            wanted = dict(zip(relevant, combination, strict=True))
            for _ in range(2):
                for name, value in wanted.items():
                    _set(node, name, value)
            if all(getattr(node, name) == value for name, value in wanted.items()):
                variants["|".join(_word(value) for value in combination)] = state_of(node)
    return states, relevant, variants


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else value


def _relevant(maker: _Maker, choices: dict[str, list[Any]]) -> list[str]:
    """The properties on which sockets depend, alone or together with one other. Drops items that are never accepted."""
    node = maker.fresh()
    fresh = {name: getattr(node, name) for name in choices}
    accepted: dict[str, set[Any]] = {name: {value} for name, value in fresh.items()}
    found: set[str] = set()

    def try_all(prepare: dict[str, Any]) -> None:
        node = maker.fresh()
        for name, value in prepare.items():
            if not _set(node, name, value):
                return
            accepted[name].add(value)
        base = _signature(node)
        now = {name: getattr(node, name) for name in choices}
        for name, options in choices.items():
            if name in prepare:
                continue
            for value in options:
                if value == now[name]:
                    continue
                if _set(node, name, value):
                    accepted[name].add(value)
                    if name not in found and _signature(node) != base:
                        found.add(name)
            _set(node, name, now[name])
            if any(getattr(node, other) != value for other, value in now.items()):
                node = maker.fresh()
                for other, value in prepare.items():
                    _set(node, other, value)

    try_all({})
    for name, options in list(choices.items()):
        for value in options:
            if value != fresh[name]:
                before = _signature(maker.fresh())
                try_all({name: value})
                node = maker.fresh()
                if _set(node, name, value) and _signature(node) != before:
                    found.add(name)
    for name in choices:
        choices[name] = [value for value in choices[name] if value in accepted[name]]
    return [name for name in choices if name in found]


def _socket(maker: _Maker, node: Any, socket: Any, limits: dict[tuple[str, str], dict[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {
        "identifier": socket.identifier,
        "name": socket.name,
        "type": rna.base_type(socket),
        "available": socket.enabled and not socket.is_unavailable,
    }
    if socket.is_multi_input:
        out["multi"] = True
    if not socket.is_output and rna.value_kind(socket) != "none":
        out["default"] = values.to_json(socket.default_value)
    key = (socket.identifier, socket.bl_idname)
    if not socket.is_output:
        if key not in limits:
            limits[key] = _limits(maker.tree, node, socket)
        out.update(limits[key])
        if socket.type == "MENU":
            menu = legal_items(socket, "default_value")
            if menu:
                out["items"] = menu
    structure = structures.declared(socket)
    if structure:
        out["structure"] = structure
    if socket.hide_value:
        out["hide_value"] = True
    return out


def _limits(tree: Any, node: Any, socket: Any) -> dict[str, Any]:
    """Range and unit of a socket, read from an interface item made from it, since the socket does not have them."""
    out: dict[str, Any] = {}
    try:
        item = tree.interface.new_socket("", in_out="INPUT", socket_type=rna.base_type(socket))
    except TypeError:
        return out
    if not hasattr(item, "from_socket"):
        tree.interface.clear()
        return out
    item.from_socket(node, socket)
    item = tree.interface.items_tree[0]
    for key, name in (("min", "min_value"), ("max", "max_value")):
        value = getattr(item, name, None)
        if value is not None and abs(value) < _HUGE[type(value)]:
            out[key] = values.to_json(value)
    subtype = getattr(item, "subtype", "NONE")
    if subtype not in {"NONE", ""}:
        out["subtype"] = subtype
    tree.interface.clear()
    return out


_KIND = {"ENUM": "enum", "BOOLEAN": "bool", "INT": "int", "FLOAT": "float", "STRING": "string", "POINTER": "pointer"}


def _property(node: Any, prop: Any, legal: list[Any] | None) -> dict[str, Any] | None:
    if prop.type == "COLLECTION" or prop.is_readonly:
        return None
    out: dict[str, Any] = {"label": prop.name, "type": _KIND[prop.type]}
    value = getattr(node, prop.identifier)
    if prop.type == "POINTER":
        if not rna.is_block_pointer(prop):
            return None
        out["default"] = None
        out["to"] = _pointer_kind(prop.fixed_type.identifier)
        return out
    out["default"] = values.to_json(value)
    if prop.type == "ENUM":
        names = {item.identifier: item.name for item in prop.enum_items}
        if prop.is_enum_flag:
            out["flags"] = True
            legal = list(names)
        out["items"] = [[item, names.get(item, item)] for item in legal or []]
    elif prop.type in {"INT", "FLOAT"}:
        if prop.is_array:
            out["type"], out["size"] = "vector", prop.array_length
        for key, limit in (("min", prop.hard_min), ("max", prop.hard_max)):
            if abs(limit) < _HUGE[type(limit)]:
                out[key] = values.to_json(limit)
    elif prop.type == "BOOLEAN" and prop.is_array:
        return None
    return out


_POINTER_KIND = {"VectorFont": "font", "NodeTree": "node_group", "MovieClip": "movieclip"}


def _pointer_kind(rna_type: str) -> str:
    return _POINTER_KIND.get(rna_type, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", rna_type).lower())


def _item_type(node: Any, path: str) -> dict[str, Any]:
    """The writable fields of a collection's items."""
    collection = getattr(node, path)
    kind = node.bl_rna.properties[path].fixed_type
    with_item = collection[0] if len(collection) else items.add_probe(node, path)
    out: dict[str, Any] = {}
    for prop in kind.properties:
        if prop.is_readonly or prop.type not in _KIND or prop.type == "POINTER" or prop.identifier == "rna_type":
            continue
        entry: dict[str, Any] = {"type": _KIND[prop.type]}
        if prop.type == "ENUM":
            entry["items"] = legal_items(with_item, prop.identifier) or [item.identifier for item in prop.enum_items]
        out[prop.identifier] = entry
    return out


def _item_sockets(maker: _Maker, path: str) -> dict[str, Any]:
    """`sockets`: where the sockets of an item are: the node itself or its partner in the zone, the side, and the prefix
    of the numbered identifier. `structures`: what structure they have, by these three, joined by `/`.
    """
    node = maker.fresh()
    holders = [("self" if held == node else "partner", held) for held in maker.tree.nodes]
    seen = {
        (holder, side, s.identifier)
        for holder, held in holders
        for side in ("inputs", "outputs")
        for s in getattr(held, side)
    }
    for _ in range(2):  # the first may get an identifier without a number
        items.add_probe(node, path)
    maker.tree.interface_update(bpy.context)
    found: list[list[str]] = []
    told: dict[str, Any] = {}
    for holder, held in sorted(holders, key=lambda entry: entry[0], reverse=True):
        for side in ("inputs", "outputs"):
            for socket in getattr(held, side):
                match = re.match(r"^(.*)_\d+$", socket.identifier)
                entry = [holder, side, match.group(1)] if match else None
                if entry and (holder, side, socket.identifier) not in seen and entry not in found:
                    found.append(entry)
        own = [prefix for place, side, prefix in found if place == holder]
        told |= {f"{holder}/{key}": value for key, value in structures.of_items(maker.tree, held, own).items()}
    return {"sockets": found} | ({"structures": told} if told else {})


# -- socket types
# ---------------------------------------------------------------------------------------------------------------


def _socket_types() -> tuple[dict[str, Any], dict[str, list[str]]]:
    """The socket types of an interface, and which convert to which, measured by linking each to each."""
    sockets: dict[str, Any] = {}
    with rna.scratch_tree() as tree:
        for name in sorted(n for n in dir(bpy.types) if n.startswith("NodeSocket")):
            try:
                item = tree.interface.new_socket(name, in_out="INPUT", socket_type=name)
                tree.interface.new_socket(name, in_out="OUTPUT", socket_type=name)
            except TypeError:
                continue
            sockets[name] = {"short": "", "label": ""}
            if held := structures.legal(item):
                sockets[name]["structures"] = held
            if "subtype" in item.bl_rna.properties:
                subtypes = legal_items(item, "subtype")
                if subtypes:
                    sockets[name]["subtypes"] = subtypes
        start, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
        outputs = {s.name: s for s in start.outputs if s.name in sockets}
        inputs = {s.name: s for s in end.inputs if s.name in sockets}
        for name, entry in sockets.items():
            kind = outputs[name].type
            entry["short"] = "FLOAT" if kind == "VALUE" else kind
            entry["label"] = outputs[name].bl_label
        conversions: dict[str, list[str]] = {name: [] for name in sockets}
        for source in sockets:
            links = {target: tree.links.new(inputs[target], outputs[source]) for target in sockets}
            tree.interface_update(bpy.context)
            conversions[source] = [target for target, link in links.items() if link is not None and link.is_valid]
            tree.links.clear()
    return sockets, conversions


def main(arguments: list[str]) -> int:
    """Writes the catalogue of the running Blender to the file named."""
    if len(arguments) != 1:
        print("usage: python -m geonode_assistant.host.catalogue OUT", file=sys.stderr)
        return 2
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    Path(arguments[0]).write_text(dumps(introspect()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(status)  # the 4.5 module may hang at exit
