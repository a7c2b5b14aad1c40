# SPDX-License-Identifier: GPL-3.0-or-later
"""A tree as a modifier runs it: its document, whose defaults are the values of the modifier."""

from __future__ import annotations

from typing import Any

import bpy

from . import current, export, modifiers


def document(tree: Any, modifier: Any) -> tuple[dict[str, Any], list[str]]:
    """The document of a tree whose defaults are the values of the modifier; and which values these cannot be."""
    bundle: dict[str, Any] = {**export.export_tree(tree)}
    losses: list[str] = []
    given = modifiers.read_inputs(modifier) if modifier is not None else {}
    root = bundle["trees"][bundle["root"]]
    for item in root["interface"]:
        value = given.get(item["identifier"])
        if isinstance(value, dict) and "attribute" in value:
            losses.append(f"“{item['name']}” reads the attribute “{value['attribute']}”; its own default is kept.")
        elif value is not None:
            item["props"]["default_value"] = value
    return bundle, losses


def metres(modifier: Any) -> float:
    """Metres of a unit in the space of the modifier's object, as the planner counts them."""
    units = current.scene().unit_settings
    metres = units.scale_length if units.system != "NONE" and units.scale_length > 0 else 1.0
    if modifier is None:
        return metres
    x, y, z = (abs(part) for part in modifier.id_data.scale)
    return metres * x if x > 1e-6 and abs(x - y) < 1e-4 * x and abs(x - z) < 1e-4 * x else metres


def modifier(object_uid: int, uid: int) -> Any:
    """The modifier with this ID of the object with this session UID, whatever both are called by now; None if gone."""
    obj = next((one for one in bpy.data.objects if one.session_uid == object_uid), None)
    return next((one for one in obj.modifiers if one.persistent_uid == uid), None) if obj is not None else None
