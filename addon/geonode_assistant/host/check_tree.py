# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks a tree document before it is built: refuses what Blender would truncate, merge or crash on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

from .. import native
from . import interface, rna
from .documents import Item, Node, Tree
from .errors import HostError

# Shorter identifiers of interface items have numbers that are small enough for any tree.
_SHORT = len("panel:") + len(str(rna.MAX_BURN))


def tree_name_bytes() -> int:
    """Longest name of a node group, in bytes of UTF-8."""
    return native.limits().name_bytes if bpy.app.version < (5, 0) else 255


def check(bundle: Any) -> None:
    """Checks the root of a document and the groups nested in it, which is what is built of it.

    Raises `invalid_document`, `bad_name`, `duplicate_id`, `out_of_range`, `cycle` or `too_deep`.
    """
    if not isinstance(bundle, dict) or bundle.get("ir") != 1:
        raise HostError("invalid_document", 'This is not a tree document of version 1 (field "ir").')
    trees = bundle.get("trees")
    if not isinstance(trees, dict) or not all(isinstance(tree, dict) for tree in trees.values()):
        raise HostError("invalid_document", 'The document has no trees (field "trees").')
    if not isinstance(bundle.get("root"), str) or bundle["root"] not in trees:
        raise HostError("invalid_document", f'The document\'s root "{bundle.get("root")}" is not among its trees.')
    done = {bundle["root"]}
    waiting = [bundle["root"]]
    while waiting:
        name = waiting.pop()
        _check_form(name, trees[name])
        _check_nodes(name, trees[name]["nodes"])
        _check_interface(name, trees[name]["interface"])
        found = set(nested(trees, name)) - done
        done |= found
        waiting += found


def nested(trees: dict[str, Tree], name: str) -> Iterator[str]:
    """The groups of the document that its tree `name` uses."""
    for node in trees[name]["nodes"]:
        props = node.get("props")
        if props is None or "node_tree" not in props:
            continue
        used = props["node_tree"]
        inner = used.get("node_group") if isinstance(used, dict) else None
        if inner in trees:
            yield inner


def _check_form(name: str, tree: Any) -> None:
    for part in ("nodes", "interface", "links"):
        if not isinstance(tree.get(part), list) or not set(map(type, tree[part])) <= {dict}:
            raise HostError("invalid_document", f'"{part}" of the tree "{name}" is not a list of objects.')


def check_name(what: str, name: Any, limit: int | None = None) -> None:
    """Raises `bad_name` for a name that Blender would truncate silently or that is not text."""
    limit = limit or native.limits().name_bytes
    if not isinstance(name, str):
        raise HostError("invalid_document", f"The name of a {what} is not text: {name!r:.80}.")
    size = len(name.encode(errors="replace"))
    if not 0 < size <= limit or "\0" in name:
        raise HostError(
            "bad_name", f'The name of the {what} "{name[:80]}" has {size} bytes; this Blender allows 1 to {limit}.'
        )


def _check_nodes(tree: str, nodes: list[Node]) -> None:
    longest = native.limits().name_bytes
    names, ids = [node["name"] for node in nodes], [node["id"] for node in nodes]
    for name in names if _may_be_bad(names, longest) else ():
        check_name("node", name, longest)
    _check_unique(tree, "nodes with the id", ids)
    _check_unique(tree, "nodes with the name", names)
    parents = {node["id"]: outer for node in nodes if (outer := node.get("parent")) is not None}
    _check_depth(tree, "frame", parents)


def _may_be_bad(names: list[Any], longest: int) -> bool:
    """Whether one of the names needs a closer look; large documents are judged with few calls."""
    if not names:
        return False
    if set(map(type, names)) != {str} or not all(names):
        return True
    text = "".join(names)
    return not text.isascii() or "\0" in text or max(map(len, names)) > longest


def _check_interface(tree: str, items: list[Item]) -> None:
    _check_unique(tree, "interface items with the identifier", [item["identifier"] for item in items])
    panels = {item["identifier"]: panel for item in items if (panel := item.get("parent")) is not None}
    _check_depth(tree, "panel", panels)
    largest = len(items) + rna.MAX_BURN
    for item in items:
        if len(item["identifier"]) < _SHORT:
            continue
        number = interface.number_of(item["identifier"])
        if number != interface.UNNUMBERED and number > largest:
            raise HostError(
                "out_of_range",
                f'The identifier "{item["identifier"]}" of "{tree}" has a number that is too large for '
                f"an interface of {len(items)} items; at most {largest}.",
            )


def _check_unique(tree: str, what: str, names: list[Any]) -> None:
    if len(set(names)) == len(names):
        return
    seen = set[Any]()
    for name in names:
        if name in seen:
            raise HostError("duplicate_id", f'The tree "{tree}" has two {what} "{name}".')
        seen.add(name)


def _check_depth(tree: str, what: str, parents: dict[str, str]) -> None:
    if not parents:
        return
    depth: dict[str, int] = {}
    deepest = native.limits().nested
    for first in parents:
        chain = list(_upwards(tree, what, first, parents, depth))
        below = depth.get(parents[chain[-1]], 0) if chain else 0
        for name in reversed(chain):
            below += 1
            depth[name] = below
            if below > deepest:
                raise HostError(
                    "too_deep",
                    f'{what.capitalize()}s are nested more than {deepest} deep at "{name}" in the tree "{tree}".',
                )


def _upwards(tree: str, what: str, first: str, parents: dict[str, str], known: dict[str, int]) -> Iterator[str]:
    seen = set[str]()
    name = first
    while name in parents and name not in known:
        if name in seen:
            raise HostError("cycle", f'The {what} "{name}" in the tree "{tree}" contains itself.')
        seen.add(name)
        yield name
        name = parents[name]
