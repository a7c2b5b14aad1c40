# SPDX-License-Identifier: GPL-3.0-or-later
"""The state that data-blocks of every kind have: fake user, custom properties, asset metadata, preview.

Copying a data-block in Blender keeps only a part of it: the copy has no fake user and is not an asset.
"""

from __future__ import annotations

import hashlib
from typing import Any

import bpy
import numpy as np

from . import identity, values
from .errors import HostError


class _Block(dict[str, str]):
    """A data-block among custom properties, as kind and name."""


# Users that do not count as use; a node tree shown in an editor has the second.
_FLAGS = ("use_fake_user", "use_extra_user")


def read(block: Any) -> dict[str, Any]:
    """The state as data to compare, without the extra user, which editors add and remove."""
    return {
        "fake user": block.use_fake_user,
        "custom properties": repr(custom(block)),
        "asset": repr(_asset(block.asset_data)),
        "preview": _preview(block.preview),
    }


def is_plain(block: Any) -> bool:
    """Whether there is no state except the fake user; much cheaper than `read`."""
    preview = block.preview
    return (
        block.asset_data is None
        and not block.keys()
        and (preview is None or not (preview.is_image_custom or preview.is_icon_custom))
    )


def keep(block: Any) -> dict[str, Any]:
    """The state that a copy of the block lacks, or may lack when it is used later, for `hand_over`."""
    flags = {name: getattr(block, name) for name in _FLAGS}
    return {"flags": flags, "asset": _asset(block.asset_data), "custom properties": custom(block)}


def hand_over(source: Any, target: Any, kept: dict[str, Any]) -> None:
    """Gives `target`, a copy that replaces `source`, the state that `keep` returned for the source."""
    if kept["asset"] is not None:
        if target.asset_data is None:
            target.asset_mark()
        if source.asset_data is not None:
            target.asset_data = source.asset_data  # all of it, what Python cannot set included
        _write_asset(target.asset_data, kept["asset"])
    for name, value in kept["flags"].items():
        if getattr(target, name) != value:
            setattr(target, name, value)
    write_custom(target, kept["custom properties"])


_DERIVED = "geometry_node_asset_traits_flag"


def derived(asset: Any) -> dict[str, Any]:
    """What Blender itself stores in an asset's metadata about its node group: in which modes it can be used."""
    return {_DERIVED: asset[_DERIVED]} if _DERIVED in asset else {}


def restore_derived(asset: Any, kept: dict[str, Any]) -> None:
    """Writes that back: it comes from the metadata of the tree as the run had changed it."""
    for key, value in kept.items():
        if asset.get(key) != value:
            asset[key] = value


def hand_over_nodes(source: Any, target: Any) -> None:
    """Gives the nodes of `target`, a former copy of the tree `source`, the custom properties that were set in between;
    one that a node lacks now stays, since another node may have taken its place.
    """
    for node in source.nodes:
        old = target.nodes.get(node.name)
        if old is None or old.bl_idname != node.bl_idname:
            continue
        wanted = {key: value for key, value in custom(node).items() if key != identity.STAMP}
        if wanted:
            write_custom(old, custom(old) | wanted)


def write_custom(owner: Any, wanted: dict[str, tuple[Any, dict[str, Any] | None]]) -> None:
    """Makes the custom properties those that `custom` returned, writing only what differs."""
    present = custom(owner)
    kept = [key for key in present if key in wanted]
    in_order = kept == list(wanted)[: len(kept)]  # new ones come last
    for key in [key for key in present if key not in wanted or not in_order]:
        del owner[key]
        del present[key]
    for key, entry in wanted.items():
        if key in present and repr(present[key]) == repr(entry):
            continue
        value, shown = entry
        try:
            owner[key] = _attached(value)
        except HostError:
            continue  # the data-block is gone, and the property with it
        if shown is not None:
            owner.id_properties_ui(key).update(**shown)


def _asset(data: Any) -> dict[str, Any] | None:
    """Asset metadata; None for a block that is not an asset."""
    if data is None:
        return None
    fields = {p.identifier: getattr(data, p.identifier) for p in _scalars(data)}
    return {"fields": fields, "tags": [tag.name for tag in data.tags], "custom properties": custom(data)}


def _scalars(data: Any) -> list[Any]:
    return [p for p in data.bl_rna.properties if p.type not in {"POINTER", "COLLECTION"}]


def _write_asset(data: Any, kept: dict[str, Any]) -> None:
    """Writes what differs from `kept`; the catalogue's simple name follows its ID."""
    if [tag.name for tag in data.tags] != kept["tags"]:
        while data.tags:
            data.tags.remove(data.tags[0])
        for tag in kept["tags"]:
            data.tags.new(tag)
    for prop in _scalars(data):
        name = prop.identifier
        if not prop.is_readonly and getattr(data, name) != kept["fields"][name]:
            setattr(data, name, kept["fields"][name])
    if repr(custom(data)) != repr(kept["custom properties"]):
        write_custom(data, kept["custom properties"])


def custom(owner: Any) -> dict[str, tuple[Any, dict[str, Any] | None]]:
    """Custom properties: key → value and its settings in the interface."""
    return {key: (_detached(owner[key]), _shown(owner, key)) for key in owner.keys()}  # noqa: SIM118


def _shown(owner: Any, key: str) -> dict[str, Any] | None:
    try:
        return owner.id_properties_ui(key).as_dict()
    except TypeError:  # values of this kind have no settings
        return None


def _detached(value: Any) -> Any:
    """A custom property's value without a reference into Blender's memory; a data-block as kind and name."""
    if isinstance(value, bpy.types.ID):
        return _Block(values.to_json(value))
    if hasattr(value, "typecode"):
        return value.to_list()
    if hasattr(value, "keys"):
        return {key: _detached(value[key]) for key in value.keys()}  # noqa: SIM118
    return [_detached(part) for part in value] if isinstance(value, list) else value


def _attached(value: Any) -> Any:
    """The value with its data-blocks. Raises `HostError` if one is gone."""
    if isinstance(value, _Block):
        return values.from_json(value)
    if isinstance(value, dict):
        return {key: _attached(part) for key, part in value.items()}
    return [_attached(part) for part in value] if isinstance(value, list) else value


def _preview(preview: Any) -> list[Any] | None:
    """Preview pictures that a person chose; Blender may redraw all others at any time."""
    if preview is None:
        return None
    chosen = [part for part in ("image", "icon") if getattr(preview, f"is_{part}_custom")]
    return [(part, tuple(getattr(preview, f"{part}_size")), _digest(preview, part)) for part in chosen] or None


def _digest(preview: Any, part: str) -> str:
    pixels = getattr(preview, f"{part}_pixels")
    numbers = np.empty(len(pixels), dtype=np.int32)
    if len(numbers):
        pixels.foreach_get(numbers)
    return hashlib.sha256(numbers.tobytes()).hexdigest()
