# SPDX-License-Identifier: GPL-3.0-or-later
"""The defaults of new inputs, for every modifier and group node that uses their tree."""

from __future__ import annotations

from typing import Any

import bpy

from . import interface, modifiers, rna, values
from .deferred_updates import Suppressor, update


def copy_to_users(tree: Any, new_inputs: list[str], suppressor: Suppressor) -> None:
    """Sets new inputs of every modifier and group node that uses the tree to their defaults; Blender leaves
    0 there.
    """
    wanted = {
        i.identifier: values.to_json(i.default_value) for i in modifiers.inputs_of(tree) if i.identifier in new_inputs
    }
    if not wanted:
        return
    by_tree: dict[str, list[Any]] = {}
    for node in interface.user_nodes(tree):
        if node.id_data.library is None:
            by_tree.setdefault(node.id_data.name, []).append(node)
    for name, nodes in by_tree.items():
        user = bpy.data.node_groups[name]
        update(user)

        def job(nodes: list[Any] = nodes) -> None:
            for node in nodes:
                for socket in node.inputs:
                    if socket.identifier in wanted and rna.value_kind(socket) != "none":
                        values.assign(socket, "default_value", wanted[socket.identifier])

        suppressor.run(job, user)
    for modifier in modifiers.users_of(tree):
        for identifier, value in wanted.items():
            modifiers.write_input(modifier, identifier, value)
