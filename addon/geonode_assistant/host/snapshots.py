# SPDX-License-Identifier: GPL-3.0-or-later
"""States of trees and objects: what a transaction compares, and the inputs of modifiers that it writes back."""

from __future__ import annotations

import re
from typing import Any

import bpy

from . import export, id_state, modifiers, rna, values
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
        "animation": _animation(tree),
        "users": tree.users,
        "id": id_state.read(tree),
    }


def object_state(obj: Any) -> dict[str, Any]:
    """The state of an object that a run may change: its modifiers with their inputs, and its animation."""
    return {"modifiers": [_modifier_state(m) for m in obj.modifiers], "animation": _animation(obj)}


_ANIMATED = re.compile(r'^(?:nodes|modifiers)\["((?:[^"\\]|\\.)*)"\]')


def unanimated(state: Any) -> Any:
    """A state of a tree or an object without the values of nodes and modifiers that drivers and actions set."""
    animation = state["animation"] if state is not None else None
    if not animation or not (animation["drivers"] or animation["action"]):
        return state
    paths = [_ANIMATED.match(driver[0]) for driver in animation["drivers"]]
    names = {path[1] for path in paths if path is not None}

    def masked(part: dict[str, Any]) -> dict[str, Any]:
        hide = animation["action"] is not None or part["name"] in names
        return {key: value for key, value in part.items() if key != "inputs" or not hide}

    if "ir" in state:
        return {**state, "ir": {**state["ir"], "nodes": [masked(node) for node in state["ir"]["nodes"]]}}
    return {**state, "modifiers": [masked(modifier) for modifier in state["modifiers"]]}


def content(state: dict[str, Any]) -> dict[str, Any]:
    """What a tree consists of; a fake user is no part of it."""
    ir = unanimated(state)["ir"]
    settings = {key: value for key, value in ir["settings"].items() if key != "use_fake_user"}
    return {**ir, "settings": settings}


def _animation(block: Any) -> Any:
    data = block.animation_data
    if data is None:
        return None
    drivers = [(d.data_path, d.array_index, d.driver.type, d.driver.expression, d.mute) for d in data.drivers]
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
    """What a restore writes back to a modifier: its tree, and its inputs as Blender stores them."""
    out: dict[str, Any] = {"uid": modifier.persistent_uid, "node_group": None, "inputs": {}}
    if modifier.type == "NODES" and modifier.node_group is not None:
        out["node_group"] = modifier.node_group.name
        out["inputs"] = _raw_inputs(modifier)
    return out


def _raw_inputs(modifier: Any) -> dict[str, Any]:
    """Inputs as Blender stores them: custom properties up to 5.0, else (type, attribute, JSON value)."""
    if "properties" not in modifier.bl_rna.properties:
        return {key: _plain(value) for key, value in modifier.items()}
    out = {}
    for item in modifiers.inputs_of(modifier.node_group):
        entry = getattr(modifier.properties.inputs, item.identifier, None)
        if entry is not None:
            value = values.to_json(entry.value) if hasattr(entry, "value") else None
            out[item.identifier] = (getattr(entry, "type", None), getattr(entry, "attribute_name", None), value)
    return out


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
    for identifier, (kind, attribute, value) in saved.items():
        if identifier in by_artist:
            continue
        entry = getattr(modifier.properties.inputs, identifier, None)
        if entry is None:
            continue
        if kind is not None and entry.type != kind:
            entry.type = kind
        if attribute is not None and entry.attribute_name != attribute:
            entry.attribute_name = attribute
        if hasattr(entry, "value") and values.to_json(entry.value) != value:
            values.assign(entry, "value", value)
