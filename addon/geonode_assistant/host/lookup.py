# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes and sockets of a tree by the names that a delta gives them (FORMATS.md, "Delta")."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from operator import attrgetter
from typing import Any

from . import identity
from .errors import HostError, near

# Between a name and the number of the socket among those that share it.
SHARED = "\x01"
_identifier = attrgetter("identifier")
_places: dict[tuple[type, str], dict[str, int]] = {}
"""Where a socket was found last, by the type of its node, side and identifier: where to look first. Only of identifiers
that no second socket of a node of that type was seen to share.
"""
_sharing: set[type] = set()


def of_several(name: str) -> tuple[str, int]:
    """The name in a SOCKET_REF, and which of those with that name is meant, in the order in which they were made."""
    name, _, number = name.partition(SHARED)
    return name, int(number or 0)


def made_as(identifier: str) -> int:
    """The number that Blender gave an interface socket; later ones have higher numbers."""
    match = re.search(r"\d+$", identifier)
    return int(match.group()) if match else 0


class Lookup:
    """The nodes of one tree by ID, their sockets by SOCKET_REF. `keys` are the interface items that this step added;
    `names` the node names by ID of the tree as it is, if known: then a few nodes are found without reading all.
    """

    def __init__(
        self, tree: Any, name: str, keys: dict[tuple[str, str], str], names: Mapping[str, str] | None = None
    ) -> None:
        self.tree = tree
        self.name = name
        self.keys = keys
        self._names = names or {}
        self._sockets: dict[tuple[str, str], dict[str, Any]] = {}
        self._positions: dict[tuple[str, str], dict[str, int]] = {}

    @cached_property
    def nodes(self) -> dict[str, Any]:
        """All nodes by ID."""
        self._names = {}
        return identity.index(self.tree)

    def forget(self) -> None:
        """Sockets may be others than they were."""
        self._sockets.clear()
        self._positions.clear()

    def node(self, node_id: str, doing: str) -> Any:
        """The node with this ID. `unknown_node` names what was to be done with it."""
        known = self._names.get(node_id) if self._names else None
        node = self.nodes.get(node_id) if known is None else self.tree.nodes.get(known)
        if node is None:
            raise HostError(
                "unknown_node",
                f'Cannot {doing} node "{node_id}": tree "{self.name}" has no such node. '
                + near(node_id, list(self.nodes)),
            )
        return node

    def find(self, node_id: str, side: str, ref: str) -> Any:
        """The socket of a node's side (`inputs`, `outputs`), or None."""
        known = self._sockets.get((node_id, side))
        if known is not None and (found := known.get(ref)) is not None:
            return found
        node = self.node(node_id, "reach a socket of")
        if ref.startswith("@"):
            ref = self._key(node, ref)
        if ref.startswith(("=", "#")):
            prefix, _, name = ref.removeprefix("#").partition("=")
            name, number = of_several(name)
            named = (s for s in getattr(node, side) if s.name == name and s.enabled and not s.is_unavailable)
            found = [s for s in named if not prefix or s.identifier.startswith(f"{prefix}_")]
            if number:
                found.sort(key=lambda socket: made_as(socket.identifier))
            return found[number] if number < len(found) else None
        if known is not None:
            return known.get(ref)
        kind = type(node)
        places = _places.setdefault((kind, side), {})
        if (place := places.get(ref)) is not None and kind not in _sharing:
            sockets = getattr(node, side)
            if place < len(sockets) and (found := sockets[place]).identifier == ref:
                return found
        known = self._read(node_id, side, node)
        places.update(zip(known, range(len(known)), strict=True))
        return known.get(ref)

    def _read(self, node_id: str, side: str, node: Any) -> dict[str, Any]:
        """Reads the sockets of a side; of several with one identifier an enabled one counts."""
        sockets = getattr(node, side).values()  # one call into Blender
        known = dict(zip(map(_identifier, sockets), sockets, strict=True))
        if len(known) < len(sockets):
            known, places = {}, {}
            for place, socket in enumerate(sockets):
                identifier = socket.identifier
                if identifier not in known or socket.enabled:
                    known[identifier], places[identifier] = socket, place
            self._positions[node_id, side] = places
            _sharing.add(type(node))
        self._sockets[node_id, side] = known
        return known

    def positions(self, node_id: str, side: str) -> dict[str, int]:
        """The places of a node's sockets by identifier, among all of its side."""
        key = (node_id, side)
        if key not in self._sockets:
            self._read(node_id, side, self.node(node_id, "reach a socket of"))
        if key not in self._positions:
            self._positions[key] = {identifier: place for place, identifier in enumerate(self._sockets[key])}
        return self._positions[key]

    def _key(self, node: Any, ref: str) -> str:
        """Resolves `@key` in the interface that the node shows: its group's, else this tree's."""
        group = getattr(node, "node_tree", None)
        found = self.keys.get((group.name if group is not None else self.name, ref))
        if found is None:
            raise HostError("unknown_socket", f'No interface item "{ref}" was added in this step.')
        return found

    def socket(self, node_id: str, side: str, ref: str) -> Any:
        """As `find`; `unknown_socket` when there is none."""
        socket = self.find(node_id, side, ref)
        if socket is None:
            node = self.nodes[node_id]
            names = ", ".join(f"{s.identifier} ({s.name})" for s in getattr(node, side) if s.enabled) or "none"
            raise HostError(
                "unknown_socket",
                f'Node "{node_id}" ({node.bl_idname}) in "{self.name}" has no {side[:-1]} "{ref}". It has: {names}.',
            )
        return socket
