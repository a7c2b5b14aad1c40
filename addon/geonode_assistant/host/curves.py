# SPDX-License-Identifier: GPL-3.0-or-later
"""F-curves of data-blocks. From 4.4 on an action has a slot for each data-block that it animates, and keeps their
F-curves apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import bpy
import numpy as np

_LAYERED = "layers" in bpy.types.Action.bl_rna.properties
_NO_STATE = frozenset({"rna_type", "is_valid", "is_empty", "is_active", "active", "group"})
_POINT_ARRAYS = {"co": 2, "handle_left": 2, "handle_right": 2}
_POINT_ENUMS = ("interpolation", "easing", "type", "handle_left_type", "handle_right_type")
_POINT_NUMBERS = ("back", "amplitude", "period")


@dataclass(frozen=True)
class Group:
    """F-curves that are kept together."""

    kind: Literal["keyframes", "driver", "strip"]
    action: Any
    """None for drivers."""
    slot: int
    """Handle of the action's slot; 0 where there are none."""
    curves: Any
    """The collection in Blender."""


def of(block: Any) -> Iterator[Group]:
    """The F-curves of a data-block: its action's, its drivers, and those of the actions that its strips play."""
    data = block.animation_data
    if data is None:
        return
    if data.action is not None:
        slot = _handle(data)
        for collection in _collections(data.action, slot):
            yield Group("keyframes", data.action, slot, collection)
    yield Group("driver", None, 0, data.drivers)
    for track in data.nla_tracks:
        for strip in track.strips:
            if strip.action is not None:
                slot = _handle(strip)
                for collection in _collections(strip.action, slot):
                    yield Group("strip", strip.action, slot, collection)


def of_slot(action: Any, slot: int) -> list[Any]:
    """The F-curves of an action's slot, of which 0 means all where there are no slots."""
    return [curve for collection in _collections(action, slot) for curve in collection]


def _handle(owner: Any) -> int:
    slot = getattr(owner, "action_slot", None)
    return slot.handle if slot is not None else 0


def _collections(action: Any, slot: int) -> list[Any]:
    if not _LAYERED:
        return [action.fcurves]
    strips = [strip for layer in action.layers for strip in layer.strips if strip.type == "KEYFRAME"]
    return [bag.fcurves for strip in strips for bag in strip.channelbags if bag.slot_handle == slot]


def to_write(block: Any) -> Any:
    """What holds the F-curves of a data-block's own action, and their groups, and may get more."""
    action = block.animation_data.action
    if not _LAYERED:
        return action
    if block.animation_data.action_slot is None:
        block.animation_data.action_slot = action.slots.new(block.id_type, block.name)
    layer = action.layers[0] if len(action.layers) else action.layers.new("Layer")
    strip = layer.strips[0] if len(layer.strips) else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(block.animation_data.action_slot, ensure=True)


def written(action: Any, slot: int) -> Any:
    """What holds the F-curves of an action's slot, and their groups; None if it is gone."""
    if not _LAYERED:
        return action
    strips = [strip for layer in action.layers for strip in layer.strips if strip.type == "KEYFRAME"]
    return next((bag for strip in strips for bag in strip.channelbags if bag.slot_handle == slot), None)


def parts(action: Any) -> dict[str, int]:
    """How many slots, layers and strips an action has, which writing may add."""
    if not _LAYERED:
        return {}
    strips = sum(len(layer.strips) for layer in action.layers)
    return {"slots": len(action.slots), "layers": len(action.layers), "strips": strips}


def cut_back(action: Any, before: dict[str, int]) -> None:
    """Removes slots, layers and strips that were added since `parts` gave these."""
    for layer in list(action.layers)[before["layers"] :] if before else ():
        action.layers.remove(layer)
    for layer in action.layers if before else ():
        for strip in list(layer.strips)[before["strips"] :]:
            layer.strips.remove(strip)
    for slot in list(action.slots)[before["slots"] :] if before else ():
        action.slots.remove(slot)


def copy(source: Any, holder: Any, path: str) -> None:
    """Copies an F-curve with its keyframes and modifiers; there is none of the same path and index."""
    curve = holder.fcurves.new(path, index=source.array_index)
    if source.group is not None:
        name = source.group.name
        curve.group = holder.groups.get(name) or holder.groups.new(name)
    _copy_plain(source, curve, frozenset({"data_path", "array_index"}))
    count = len(source.keyframe_points)
    curve.keyframe_points.add(count)
    for name, width in _POINT_ARRAYS.items():
        numbers = np.empty(count * width, dtype=np.float32)
        source.keyframe_points.foreach_get(name, numbers)
        curve.keyframe_points.foreach_set(name, numbers)
    for old, new in zip(source.keyframe_points, curve.keyframe_points, strict=True):
        for name in (*_POINT_ENUMS, *_POINT_NUMBERS):
            setattr(new, name, getattr(old, name))
    while len(curve.modifiers):
        curve.modifiers.remove(curve.modifiers[0])
    for old in source.modifiers:
        new = curve.modifiers.new(old.type)
        _copy_plain(old, new, frozenset({"type"}))
        if old.type == "GENERATOR":
            new.coefficients = old.coefficients[:]
        for point in getattr(old, "control_points", ()):
            _copy_plain(point, new.control_points.add(point.frame), frozenset())


def _copy_plain(source: Any, target: Any, skip: frozenset[str]) -> None:
    for prop in source.bl_rna.properties:
        name = prop.identifier
        if prop.is_readonly or name in _NO_STATE or name in skip or prop.type in {"POINTER", "COLLECTION"}:
            continue
        value = getattr(source, name)
        setattr(target, name, value[:] if getattr(prop, "is_array", False) else value)


def state(block: Any) -> Any:
    """Everything about the animation of a data-block as data to compare, keyframes included; None if it has none."""
    data = block.animation_data
    if data is None:
        return None
    return {
        "own": _read(data, frozenset({"drivers", "nla_tracks", "action", "action_slot"})),
        "action": data.action.name if data.action is not None else None,
        "slot": _handle(data),
        "nla": [_read(track) for track in data.nla_tracks],
        "drivers": [_read_curve(curve) for curve in data.drivers],
    }


def keyframes(block: Any) -> Any:
    """The F-curves of all actions that the data-block uses as data to compare."""
    groups = [group for group in of(block) if group.action is not None]
    return [(g.kind, g.action.name, g.slot, [_read_curve(curve) for curve in g.curves]) for g in groups]


def of_action(action: Any) -> Any:
    """All F-curves of an action as data to compare, by slot."""
    slots = [slot.handle for slot in action.slots] if _LAYERED else [0]
    return [(slot, [_read_curve(curve) for curve in of_slot(action, slot)]) for slot in slots]


def _read_curve(curve: Any) -> dict[str, Any]:
    out = _read(curve, frozenset({"keyframe_points", "sampled_points"}))
    out["group name"] = curve.group.name if curve.group is not None else None
    count = len(curve.keyframe_points)
    for name, width in _POINT_ARRAYS.items():
        numbers = np.empty(count * width, dtype=np.float32)
        curve.keyframe_points.foreach_get(name, numbers)
        out[name] = numbers.tobytes()
    for name in _POINT_ENUMS:
        values = np.empty(count, dtype=np.int32)
        curve.keyframe_points.foreach_get(name, values)
        out[name] = values.tobytes()
    out["points"] = [tuple(getattr(point, name) for name in _POINT_NUMBERS) for point in curve.keyframe_points]
    out["samples"] = [point.co[:] for point in curve.sampled_points]
    return out


def _read(struct: Any, skip: frozenset[str] = frozenset(), depth: int = 0) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for prop in struct.bl_rna.properties:
        name = prop.identifier
        if name in _NO_STATE or name in skip or name.startswith("select"):
            continue
        value = getattr(struct, name)
        if prop.type == "COLLECTION":
            out[name] = [_read(part, frozenset(), depth + 1) for part in value] if depth < 5 else None
        elif isinstance(value, bpy.types.ID):
            out[name] = value.name_full
        elif prop.type == "POINTER":
            out[name] = _read(value, frozenset(), depth + 1) if value is not None and depth < 5 else None
        else:
            out[name] = (
                value[:] if getattr(prop, "is_array", False) else sorted(value) if isinstance(value, set) else value
            )
    return out
