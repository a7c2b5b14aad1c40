# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the active node tree belongs to the artist or to the assistant."""

from __future__ import annotations

from typing import Any

import bpy

from ...host import ownership
from ...run import session
from ..bases import OperatorPart


def active_tree(context: bpy.types.Context) -> Any:
    """The Geometry Nodes tree in the editor, else that of the active modifier; None if there is none."""
    shown = getattr(context.space_data, "edit_tree", None)
    modifier = context.object.modifiers.active if shown is None and context.object is not None else None
    tree = shown or getattr(modifier, "node_group", None)
    local = tree is not None and tree.bl_idname == "GeometryNodeTree" and tree.library is None
    return tree if local else None


class _Ownership(OperatorPart):
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if session.current.running:
            cls.poll_message_set("A run is under way; wait until it ends, or cancel it")
        elif active_tree(context) is None:
            cls.poll_message_set("Open a Geometry Nodes tree of this file, or select an object that uses one")
        else:
            return True
        return False


class GEONODE_OT_make_mine(_Ownership, bpy.types.Operator):
    """From now on the assistant asks before it removes anything from this node tree"""

    bl_idname = "geonode.make_mine"
    bl_label = "Ask Before Removing"

    def execute(self, context: bpy.types.Context) -> set[str]:
        ownership.assign_to_artist(active_tree(context))
        return {"FINISHED"}


class GEONODE_OT_let_manage(_Ownership, bpy.types.Operator):
    """From now on this node tree, as it is, counts as made by the assistant, which may replace its content"""

    bl_idname = "geonode.let_manage"
    bl_label = "Let It Be Replaced"

    def execute(self, context: bpy.types.Context) -> set[str]:
        ownership.assign_to_assistant(active_tree(context))
        return {"FINISHED"}


CLASSES = (GEONODE_OT_make_mine, GEONODE_OT_let_manage)
