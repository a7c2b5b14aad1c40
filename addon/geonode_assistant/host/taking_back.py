# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes back a part of what a run did to a tree: the inverse edit of some nodes, by their IDs, as an undo step of its
own.

Everything else stays, also what was edited since. Where the nodes cannot be exactly as before, nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

import bpy

from . import build, export, rna, values
from .documents import Tree, TreeDelta
from .errors import HostError
from .transaction import Transaction

# What of a node is no part of what it does.
_LOOKS = frozenset({"location", "width", "height"})
_Link = tuple[str, str, str, str, bool]


def tree_of(uid: int) -> Any:
    """The tree with this session UID; None if it is gone."""
    return next((tree for tree in bpy.data.node_groups if tree.session_uid == uid), None)


def uid_of(name: str) -> int:
    """The session UID of the tree of this name."""
    tree: Any = bpy.data.node_groups.get((name, None))
    return tree.session_uid


def take_back(tree: Any, before: Tree, ids: Set[str], message: str) -> None:
    """Makes these nodes, and the links between them and others, as they were; ``message`` names the undo step.

    Raises ``HostError`` where that cannot be, and then changes nothing.
    """
    name = tree.name
    delta = inverse(name, before, export.export_one(tree)[0], ids)
    transaction = Transaction((), [name])
    try:
        transaction.apply({"step_id": "back", "trees": [delta]})
        if not is_back(tree, before, ids):
            raise HostError("stale_base", "These nodes cannot be made as they were: too much has changed since.")
    except BaseException:
        transaction.restore()
        raise
    transaction.commit(message)


def is_back(tree: Any, before: Tree, ids: Set[str]) -> bool:
    """Whether these nodes are there as before, or are not there as before, with their links to nodes that are there."""
    now = export.export_one(tree)[0]
    then, here = _by_id(before), _by_id(now)
    for node_id in ids:
        one, other = then.get(node_id), here.get(node_id)
        if one is None or other is None:
            if one is not other:
                return False
        elif _does(one) != _does(other):
            return False
    old = {link for link in _links(before, ids) if link[0] in here and link[2] in here}
    new = {link for link in _links(now, ids) if link[0] in then and link[2] in then}
    return old == new


def inverse(name: str, before: Tree, now: Tree, ids: Set[str]) -> TreeDelta:
    """The edit that makes these nodes as they were in ``before``."""
    then, here = _by_id(before), _by_id(now)
    gone = [node_id for node_id in ids if node_id in here and node_id not in then]
    added = [node_id for node_id in ids if node_id in then and node_id not in here]
    there = (here.keys() | set(added)) - set(gone)
    delta: TreeDelta = {"tree": name, "create": False, "remove": gone, "unlink": [], "labels": [], "names": []}
    lists: Any = {key: [] for key in ("add", "props", "pairs", "items", "parents", "values", "links", "locations")}
    places = build.located(before["nodes"])
    for node_id in added:
        build.describe(lists, then[node_id], places)
    for node_id in sorted(ids & then.keys() & here.keys()):
        old: Any = {key: [] for key in lists}
        new: Any = {key: [] for key in lists}
        build.describe(old, then[node_id], places)
        build.describe(new, here[node_id], {node_id: (0.0, 0.0)})
        for key in ("props", "items", "values"):
            lists[key] += [entry for entry in old[key] if entry not in new[key]]
        # A description leaves out what is as Blender makes it.
        said = {tuple(entry[:2]) for entry in old["values"]}
        unsaid = [entry[1] for entry in new["values"] if tuple(entry[:2]) not in said]
        lists["values"] += [[node_id, ref, value] for ref, value in _as_made(then[node_id]["type"], unsaid)]
        if then[node_id].get("label") != here[node_id].get("label"):
            delta["labels"].append([node_id, then[node_id].get("label") or ""])
        if then[node_id]["name"] != here[node_id]["name"]:
            delta["names"].append([node_id, then[node_id]["name"]])
    lists["parents"] = [entry for entry in lists["parents"] if entry[1] in there]
    old_links, new_links = set(_links(before, ids)), set(_links(now, ids))
    delta["unlink"] += [list(link[:4]) for link in sorted(new_links - old_links) if not {link[0], link[2]} & set(gone)]
    lists["links"] += [
        list(link) for link in _links(before, ids) if link not in new_links and {link[0], link[2]} <= there
    ]
    _put_in_order(delta, lists, before, now)
    unused = _unused_inputs(before, now, ids)
    delta["interface"] = [{"op": "remove", "identifier": one, "in_out": "INPUT"} for one in unused]
    return {**delta, **lists}


def _put_in_order(delta: TreeDelta, lists: Any, before: Tree, now: Tree) -> None:
    """Makes links into an input that takes several anew where they would else stand in another order than before; a
    new link is put after those that are there."""
    gone = {tuple(ends) for ends in delta["unlink"]}
    for end in {tuple(link[2:4]) for link in lists["links"]}:
        was = [_ends(link) for link in before["links"] if tuple(link["to"]) == end and "sort" in link]
        if not was:
            continue
        there = [_ends(link) for link in now["links"] if tuple(link["to"]) == end and _ends(link) not in gone]
        added = [tuple(link[:4]) for link in lists["links"] if tuple(link[2:4]) == end]
        stays = set(there) | set(added)
        wanted = [ends for ends in was if ends in stays] + [ends for ends in there if ends not in was]
        alike = 0
        while alike < len(there) and there[alike] == wanted[alike]:
            alike += 1
        muted = {_ends(link): bool(link.get("muted")) for link in (*before["links"], *now["links"])}
        delta["unlink"] += [list(ends) for ends in there[alike:]]
        lists["links"] = [link for link in lists["links"] if tuple(link[2:4]) != end]
        lists["links"] += [[*ends, muted[ends]] for ends in wanted[alike:]]


def _ends(link: Any) -> tuple[str, str, str, str]:
    return (*link["from"], *link["to"])


def _unused_inputs(before: Tree, now: Tree, ids: Set[str]) -> list[str]:
    """Inputs of the group that came since, and feed nothing but what is taken back."""
    here = _by_id(now)
    known = {item["identifier"] for item in before["interface"]}
    inputs = [item["identifier"] for item in now["interface"] if item.get("in_out") == "INPUT"]
    fed: dict[str, list[bool]] = {identifier: [] for identifier in inputs if identifier not in known}
    then = {tuple(link[:4]) for link in _links(before, ids)}
    for link in now["links"]:
        node_id, socket = link["from"]
        if socket in fed and here[node_id]["type"] == "NodeGroupInput":
            fed[socket].append(link["to"][0] in ids and (node_id, socket, *link["to"]) not in then)
    return [identifier for identifier, goes in fed.items() if goes and all(goes)]


def _as_made(kind: str, sockets: list[str]) -> Iterator[tuple[str, Any]]:
    """The values that these inputs of a new node of this type have."""
    if not sockets:
        return
    with rna.scratch_tree() as scratch:
        made = scratch.nodes.new(kind)
        for socket in made.inputs:
            if socket.identifier in sockets and rna.value_kind(socket) != "none":
                yield socket.identifier, values.to_json(socket.default_value)


def _by_id(tree: Tree) -> Mapping[str, Any]:
    return {node["id"]: node for node in tree["nodes"]}


def _does(node: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in node.items() if key not in _LOOKS}


def _links(tree: Tree, ids: Set[str]) -> Iterator[_Link]:
    for link in tree["links"]:
        if link["from"][0] in ids or link["to"][0] in ids:
            yield (*_ends(link), bool(link.get("muted")))
