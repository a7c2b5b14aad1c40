# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags of sockets, such as `hide`: many of one node are set with one call into Blender, since setters are slow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from . import rna
from .lookup import Lookup

Wanted = dict[tuple[str, str, str], dict[str, bool]]
"""By node, side and flag: the value of each socket, by SOCKET_REF."""

_NONE: dict[str, int] = {}


@dataclass
class Parted:
    """The `props` of a delta that belong to sockets, parted beforehand into flags and the rest."""

    flags: Wanted = field(default_factory=dict)
    rest: list[Any] = field(default_factory=list)


class Flags:
    """Collects flags of one tree's sockets and sets them. For suppressed phases, since it updates nothing."""

    def __init__(self, lookup: Lookup, wanted: Wanted | None = None) -> None:
        self._lookup = lookup
        self._wanted: Wanted = {} if wanted is None else wanted

    def take(self, entry: Any) -> bool:
        """Whether the `props` entry of a delta sets a flag, which `write` then does. Not those of reroutes: links
        replace their sockets.
        """
        path, value = entry[1], entry[2]
        rest, _, flag = path.rpartition(".")
        if flag not in rna.SOCKET_FLAGS or not isinstance(value, bool):
            return False
        side, _, ref = rest.partition(".")
        key = (entry[0], side, flag)
        wanted = self._wanted.get(key)
        if wanted is None:
            if self._lookup.node(entry[0], "reach a socket of").bl_idname == "NodeReroute":
                return False
            wanted = self._wanted[key] = {}
        wanted[ref] = value
        return True

    def write(self) -> None:
        """Sets what was taken. Raises `unknown_socket`."""
        for (node_id, side, flag), wanted in self._wanted.items():
            places = self._lookup.positions(node_id, side) if len(wanted) > 1 else _NONE
            # Reading and writing all sockets of a side is faster than a setter for each of its half.
            if 2 * len(wanted) >= len(places) > 2 and places.keys() >= wanted.keys():
                sockets = getattr(self._lookup.node(node_id, "reach a socket of"), side)
                _write_many(sockets, flag, ((places[ref], value) for ref, value in wanted.items()))
            else:
                for ref, value in wanted.items():
                    setattr(self._lookup.socket(node_id, side, ref), flag, value)
        self._wanted = {}


def _write_many(sockets: Any, flag: str, wanted: Iterable[tuple[int, bool]]) -> None:
    held = [False] * len(sockets)
    sockets.foreach_get(flag, held)
    for place, value in wanted:
        held[place] = value
    sockets.foreach_set(flag, held)
