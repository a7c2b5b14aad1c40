# SPDX-License-Identifier: GPL-3.0-or-later
"""States of trees and objects: what a transaction compares, and the inputs of modifiers that it writes back."""

from __future__ import annotations

import re
from typing import Any

import bpy

from . import curves, export, id_state, modifiers, rna, values
from .documents import Tree


def tree_state(tree: Any, ir: Tree | None = None) -> dict[str, Any]:
    """The state that must be equal after a restore: the IR, selection, active node, animation, users, and the state
    that every data-block has. `ir` is the tree's export, if already available.
    """
    active = tree.nodes.active
    return {
        "ir": export.export_one(tree)[0] if ir is None else ir,
        "selected": [n.name for n in tree.nodes if n.select],
        "active": active.name if active is not None else None,
        "animation": curves.state(tree),
        "curves": curves.keyframes(tree),
        "users": tree.users,
        "id": id_state.read(tree),
    }


def object_state(obj: Any) -> dict[str, Any]:
    """The state of an object that a run may change: its modifiers with their inputs, and its animation."""
    return {"modifiers": [_modifier_state(m) for m in obj.modifiers], "animation": _animation(obj)}


_ANIMATED = re.compile(r'^(?:geonode_parked\.\d+\.)?(?:nodes|modifiers)\["((?:[^"\\]|\\.)*)"\]')


def unanimated(state: Any) -> Any:
    """A state of a tree or an object without the values of nodes and modifiers that drivers and actions set."""
    animation = state["animation"] if state is not None else None
    if not animation or not (animation["drivers"] or animation["action"] or animation["nla"]):
        return state
    paths = [driver["data_path"] for driver in animation["drivers"]]
    paths += [curve["data_path"] for *_, found in state.get("curves", ()) for curve in found]
    found = [_ANIMATED.match(path) for path in paths]
    names = {bpy.utils.unescape_identifier(path[1]) for path in found if path is not None}
    known = "curves" in state

    def masked(part: dict[str, Any], keys: frozenset[str]) -> dict[str, Any]:
        hide = part["name"] in names or not known and animation["action"] is not None
        return {key: value for key, value in part.items() if key not in keys or not hide}

    if "ir" in state:
        nodes = [masked(node, frozenset({"inputs", "outputs", "props"})) for node in state["ir"]["nodes"]]
        return {**state, "ir": {**state["ir"], "nodes": nodes}}
    return {**state, "modifiers": [masked(modifier, frozenset({"inputs"})) for modifier in state["modifiers"]]}


def content(state: dict[str, Any]) -> dict[str, Any]:
    """What a tree consists of, with its drivers and the name of its action. The keyframes are not part of it, and
    neither is a fake user.
    """
    ir = unanimated(state)["ir"]
    settings = {key: value for key, value in ir["settings"].items() if key != "use_fake_user"}
    return {**ir, "settings": settings, "animation": state["animation"]}


def _animation(block: Any) -> Any:
    """The animation of an object, which no run changes, without its keyframes, of which a rig has thousands."""
    data = block.animation_data
    if data is None:
        return None
    drivers = [
        {
            "data_path": d.data_path,
            "array_index": d.array_index,
            "type": d.driver.type,
            "expression": d.driver.expression,
            "mute": d.mute,
        }
        for d in data.drivers
    ]
    return {
        "action": data.action.name if data.action is not None else None,
        "drivers": drivers,
        "nla": len(data.nla_tracks),
    }


def _modifier_state(modifier: Any) -> dict[str, Any]:
    fields = rna.fields_of(modifier, frozenset({"execution_time", "persistent_uid", "bakes", "panels", "properties"}))
    out: dict[str, Any] = {"name": modifier.name, "type": modifier.type}
    out["settings"] = {path: value for path, value in zip(fields.plain, fields.read_plain(modifier), strict=True)}
    if modifier.type == "NODES":
        out["node_group"] = values.block_name(modifier.node_group) if modifier.node_group is not None else None
        out["inputs"] = modifiers.read_inputs(modifier)
    return out


def modifier_snapshot(modifier: Any) -> dict[str, Any]:
    """What a restore writes back to a modifier: its tree, its inputs as Blender stores them, and how each of its zones
    and nodes is baked.
    """
    out: dict[str, Any] = {"uid": modifier.persistent_uid, "node_group": None, "inputs": {}, "bakes": {}}
    if modifier.type == "NODES" and modifier.node_group is not None:
        out["node_group"] = modifier.node_group.name
        out["inputs"] = _raw_inputs(modifier)
        out["bakes"] = {bake.bake_id: bake_settings(bake) for bake in modifier.bakes}
    return out


def bake_settings(bake: Any) -> dict[str, Any]:
    """How a zone or node is baked."""
    fields = (p for p in bake.bl_rna.properties if not p.is_readonly and p.type not in {"POINTER", "COLLECTION"})
    return {p.identifier: getattr(bake, p.identifier) for p in fields}


def restore_bakes(modifier: Any, saved: dict[int, dict[str, Any]]) -> None:
    """Writes how the zones and nodes are baked back; Blender forgets it with the node, and what comes back is new."""
    for bake in modifier.bakes:
        write_bake(bake, saved.get(bake.bake_id, {}))


def write_bake(bake: Any, saved: dict[str, Any]) -> None:
    """Writes how a zone or node is baked."""
    for name, value in saved.items():
        if getattr(bake, name) != value:
            setattr(bake, name, value)


def _raw_inputs(modifier: Any) -> dict[str, Any]:
    """Inputs as Blender stores them: custom properties up to 5.0, else (type, attribute, JSON value)."""
    if "properties" not in modifier.bl_rna.properties:
        return {key: _plain(value) for key, value in modifier.items()}
    out = {}
    for item in modifiers.inputs_of(modifier.node_group):
        entry = getattr(modifier.properties.inputs, item.identifier, None)
        if entry is not None:
            value = _read_raw(entry) if hasattr(entry, "value") else None
            out[item.identifier] = (getattr(entry, "type", None), getattr(entry, "attribute_name", None), value)
    return out


def _is_enum(entry: Any) -> bool:
    return entry.bl_rna.properties["value"].type == "ENUM"


def _read_raw(entry: Any) -> Any:
    """An input's value as JSON; of a menu its number, which may be that of no item: then it has no name."""
    return entry.bl_system_properties_get()["value"] if _is_enum(entry) else values.to_json(entry.value)


def _write_raw(entry: Any, value: Any) -> None:
    if _is_enum(entry):
        entry.bl_system_properties_get()["value"] = value
    else:
        values.assign(entry, "value", value)


def _plain(value: Any) -> Any:
    """A custom property's value without references into Blender's memory; a data-block as its name."""
    if isinstance(value, bpy.types.ID):
        return values.to_json(value)
    return value.to_list() if hasattr(value, "to_list") else value.to_dict() if hasattr(value, "to_dict") else value


def restore_inputs(modifier: Any, saved: dict[str, Any], by_artist: set[str]) -> None:
    """Writes the inputs of a snapshot back, except those that the artist set meanwhile."""
    if "properties" not in modifier.bl_rna.properties:
        for key in [k for k in modifier.keys() if k not in saved and k not in by_artist]:
            del modifier[key]
        for key, value in saved.items():
            if key not in by_artist and (key not in modifier or _plain(modifier[key]) != value):
                modifier[key] = values.from_json(value)
        return
    inputs = getattr(modifier.properties, "inputs", None)  # none without a tree
    for identifier, (kind, attribute, value) in saved.items():
        if identifier in by_artist:
            continue
        entry = getattr(inputs, identifier, None)
        if entry is None:
            continue
        if kind is not None and entry.type != kind:
            entry.type = kind
        if attribute is not None and entry.attribute_name != attribute:
            entry.attribute_name = attribute
        if hasattr(entry, "value") and _read_raw(entry) != value:
            _write_raw(entry, value)
