# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries out edits without Blender's whole-tree update after every single change.

Blender ignores nested tree updates while one is running. A helper tree of our own class is updated once, and the edits
run inside its `update` callback; afterwards the edited tree is updated once. What updates the helper is a setter of its
only node, since that leaves other trees alone, while `interface_update` looks for users of the helper in all of them.
This is undocumented, so the first use in
a process tests it on a scratch tree; if the test fails, the same edits run without it: slower, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import bpy

HELPER_NAME = ".geonode_helper"
HELPER_TYPE = "GeonodeHelperTree"
works: bool | None = None
"""Whether suppressing updates works in this Blender; None until tested."""


class Suppressor:
    """Runs jobs under suppression, as handed out by `suppression()`."""

    def __init__(self, make: Callable[[], tuple[Any, list[Any]]] | None) -> None:
        """`make` creates the helper tree and the slot of its callback on first use; None: jobs run without
        suppression.
        """
        self._make = make
        self._made: tuple[Any, list[Any]] | None = None

    def run(self, job: Callable[[], None], tree: Any, settle: bool = True) -> None:
        """Runs `job`, then updates `tree` once. An exception of the job is raised here, after the update.

        Without `settle` the update is left to the next job: sockets must not be used before.
        """
        failure: list[BaseException] = []

        def guarded() -> None:
            try:
                job()
            except BaseException as error:  # noqa: BLE001  Blender prints and drops what leaves a callback
                failure.append(error)

        if self._make is None:
            guarded()
        else:
            helper, slot = self._made = self._made or self._make()
            slot.append(guarded)
            try:
                helper.nodes[0].mute = False
            finally:
                pending = bool(slot)
                slot.clear()
            if pending:  # the callback was not called: run the same edits without suppression
                guarded()
        if settle or failure:
            update(tree)
        if failure:
            raise failure[0]


def update(tree: Any) -> None:
    """One real update: sockets, links and dependents are valid afterwards."""
    tree.interface_update(bpy.context)
    tree.update_tag()


@contextmanager
def suppression() -> Iterator[Suppressor]:
    """A `Suppressor`, whose helper tree is removed afterwards."""
    global works
    if works is None:
        works = _self_test()
    if not works:
        yield Suppressor(None)
        return
    with ExitStack() as stack:
        yield Suppressor(lambda: stack.enter_context(_helper()))


_slot: list[Callable[[], None]] = []
_registered: list[type] = []


def release() -> None:
    """Unregisters the class of the helper tree, which stays registered from its first use on: each time it would take
    as long as building a small tree.
    """
    while _registered:
        bpy.utils.unregister_class(_registered.pop())


def _register() -> None:
    def on_update(_self: Any) -> None:
        if _slot:
            _slot.pop()()

    if _registered:
        return
    helper_class = type(
        HELPER_TYPE,
        (bpy.types.NodeTree,),
        {
            "bl_idname": HELPER_TYPE,
            "bl_label": "GeoNode helper",
            "bl_icon": "NODETREE",
            "update": on_update,
            "poll": classmethod(lambda _cls, _context: False),
        },
    )
    bpy.utils.register_class(helper_class)
    _registered.append(helper_class)


@contextmanager
def _helper() -> Iterator[tuple[Any, list[Any]]]:
    _register()
    trees: Any = bpy.data.node_groups  # the type of the tree is our own
    helper = trees.new(HELPER_NAME, HELPER_TYPE)
    try:
        helper.nodes.new("NodeFrame")
        yield helper, _slot
    finally:
        # It has no users, so that no other data-block needs to be searched for some.
        bpy.data.node_groups.remove(helper, do_unlink=helper.users > 0)


def _self_test() -> bool:
    """Whether a group node created inside the callback has no sockets until the update."""
    inner: Any = bpy.data.node_groups.new(".geonode_probe_inner", "GeometryNodeTree")
    outer: Any = bpy.data.node_groups.new(".geonode_probe_outer", "GeometryNodeTree")
    seen: list[int] = []

    def job() -> None:
        node = outer.nodes.new("GeometryNodeGroup")
        node.node_tree = inner
        seen.append(len(node.inputs))

    try:
        inner.interface.new_socket("A", in_out="INPUT", socket_type="NodeSocketFloat")
        with _helper() as made:
            Suppressor(lambda: made).run(job, outer)
        seen.append(len(outer.nodes[0].inputs) if outer.nodes else -1)
    except Exception:  # noqa: BLE001  after any failure, edits run without suppression
        return False
    finally:
        bpy.data.node_groups.remove(outer)
        bpy.data.node_groups.remove(inner)
    # Called exactly once, sockets stale inside the callback and correct afterwards.
    return len(seen) == 2 and seen[0] in (0, 1) and seen[1] >= 1
