# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom properties of trees, nodes and, where Blender has them, sockets: what artists and add-ons keep there.

Documents for rebuilding have them among `stored` (FORMATS.md, "Tree IR").
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import bpy

from . import rna, values
from .errors import HostError

_OURS = "geonode_"
_PATH = re.compile(r'(?:(inputs|outputs|interface)\.(.+))?\["((?:[^"\\]|\\.)*)"\]', re.DOTALL)
# What is larger is left out, and what is refused in a document.
MOST, LEVELS, NUMBERS, BYTES = 256, 16, 10_000, 65_536


class _Unfit(Exception):
    """A value that documents do not carry."""


def read(owner: Any, prefix: str = "") -> dict[str, Any]:
    """The values by their paths, `["name"]` behind the prefix; without those that no document carries, and ours."""
    found: dict[str, Any] = {}
    for name in [name for name in owner.keys() if not is_ours(name)][:MOST]:  # noqa: SIM118
        with suppress(_Unfit):
            found[f'{prefix}["{bpy.utils.escape_identifier(name)}"]'] = _to_json(owner[name], LEVELS)
    return found


def of_sockets(sockets: Any, prefix: str) -> dict[str, Any]:
    """The same of sockets; nothing where this Blender has none on them."""
    found: dict[str, Any] = {}
    for socket in sockets if sockets_have_them() else ():
        if len(socket.keys()):
            found |= read(socket, f"{prefix}.{socket.identifier}")
    return found


def is_path(path: str) -> bool:
    """Whether a path of `stored` is one to a custom property."""
    return path.endswith('"]')


def write(path: str, value: Any, owner_of: Callable[[str, str], Any], groups: Mapping[str, Any]) -> None:
    """Sets one; ``owner_of`` gives what has it, by side (empty for the data-block or the node itself) and identifier;
    None where this Blender has none on it, and then it is left out. ``groups``: the document's node groups by name.

    Raises `invalid_document` for a path or value that is none.
    """
    match = _PATH.fullmatch(path)
    if match is None:
        raise HostError("invalid_document", f'"{path:.80}" is not the path of a custom property.')
    side, identifier, name = match.groups()
    name = bpy.utils.unescape_identifier(name)
    if side and not sockets_have_them() or is_ours(name):
        return
    owner = owner_of(side or "", identifier or "")
    if owner is not None and name not in owner:
        count = sum(not is_ours(other) for other in owner.keys())  # noqa: SIM118
        if count >= MOST:
            raise HostError("invalid_document", f'More than {MOST} custom properties of one owner, at "{name:.80}".')
    try:
        if owner is not None:
            owner[name] = _from_json(value, LEVELS, groups)
    except (TypeError, ValueError, OverflowError, KeyError) as error:
        raise HostError("invalid_document", f'The custom property "{name:.80}" cannot be {value!r:.80}.') from error


_known: list[bool] = []


def is_ours(name: str) -> bool:
    """Whether the add-on keeps something of its own under this name."""
    return name.startswith(_OURS)


def sockets_have_them() -> bool:
    """Whether sockets of this Blender have custom properties."""
    if not _known:
        with rna.scratch_tree() as tree:
            socket = tree.nodes.new("ShaderNodeMath").inputs[0]
            try:
                socket.keys()
                _known.append(True)
            except TypeError:
                _known.append(False)
    return _known[0]


def _to_json(value: Any, levels: int) -> Any:
    if isinstance(value, bool | int) or value is None:
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _Unfit
        return value
    if isinstance(value, str):
        if len(value.encode(errors="replace")) > BYTES:
            raise _Unfit
        return value
    if isinstance(value, bpy.types.ID):
        return values.to_json(value)
    if levels == 0 or isinstance(value, bytes) or not hasattr(value, "__len__") or len(value) > NUMBERS:
        raise _Unfit
    if hasattr(value, "items"):
        return {"group": {name: _to_json(part, levels - 1) for name, part in value.items()}}
    return [_to_json(part, levels - 1) for part in value]


def _from_json(value: Any, levels: int, groups: Mapping[str, Any]) -> Any:
    if isinstance(value, float) and not math.isfinite(value) or isinstance(value, str) and len(value) > BYTES:
        raise ValueError(value)
    if isinstance(value, dict | list) and (levels == 0 or len(value) > NUMBERS):
        raise ValueError("too large")
    if isinstance(value, list):
        return [_from_json(part, levels - 1, groups) for part in value]
    if isinstance(value, dict) and value.keys() == {"group"}:
        return {name: _from_json(part, levels - 1, groups) for name, part in value["group"].items()}
    return values.from_json(value, groups)


def all_of(tree: Any) -> Iterator[tuple[str, Any]]:
    """Those of a tree itself and of the sockets of its interface."""
    yield from read(tree).items()
    if sockets_have_them():
        for item in tree.interface.items_tree:
            if item.item_type == "SOCKET" and len(item.keys()):
                yield from read(item, f"interface.{item.identifier}").items()
