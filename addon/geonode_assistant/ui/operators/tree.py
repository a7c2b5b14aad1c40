# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree that is open in the Node Editor: explain it, change it with words, go to one of its nodes."""

from __future__ import annotations

from typing import Any

import bpy

from ...host import editors, explain, undo
from ...run import session
from .. import properties
from ..bases import OperatorPart
from ..translation import about, language, named, say, told_error
from .ownership import active_tree
from .result import send, take_words
from .start import can_send


class Explained:
    """The explanation that is shown, and the tree that it is of."""

    def __init__(self) -> None:
        self.parts: list[explain.Part] = []
        self._of: tuple[str, int, int, int] | None = None

    def take(self, tree: Any) -> None:
        """Explains a tree."""
        self.parts, self._of = explain.explain(tree, explain.Words(say, named, about)), _state(tree)

    def holds(self, tree: Any) -> bool:
        """Whether the explanation is of this tree, with as many nodes and links as then, and in this language."""
        return self._of is not None and self._of == _state(tree)

    def forget(self) -> None:
        """Drops the explanation."""
        self.parts, self._of = [], None


def _state(tree: Any) -> tuple[str, int, int, int]:
    return language(), tree.session_uid, len(tree.nodes), len(tree.links)


shown = Explained()
"""What the Node Editor's sidebar shows."""


class _OfTree(OperatorPart):
    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if active_tree(context) is None:
            cls.poll_message_set("Open a Geometry Nodes tree of this file")
            return False
        return True


class GEONODE_OT_explain_tree(_OfTree, bpy.types.Operator):
    """Say in plain words what this tree does, node by node. Nothing is changed"""

    bl_idname = "geonode.explain_tree"
    bl_label = "Explain This Tree"
    bl_options = {"REGISTER"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        tree = active_tree(context)
        if shown.holds(tree):
            shown.forget()
        else:
            shown.take(tree)
        if context.area is not None:
            context.area.tag_redraw()
        return {"FINISHED"}


class GEONODE_OT_show_node(_OfTree, bpy.types.Operator):
    """Select this node and move the view to it"""

    bl_idname = "geonode.show_node"
    bl_label = "Show Node"
    bl_options = {"INTERNAL"}

    node: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        if hasattr(context.space_data, "edit_tree") and editors.show_node(context.space_data, self.node):
            return {"FINISHED"}
        self.report({"WARNING"}, say("There is no node “{node}” here any more", node=self.node))
        return {"CANCELLED"}


class _OfChanges(OperatorPart):
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        tree = active_tree(context)
        if tree is None or not session.current.marks(tree):
            cls.poll_message_set("The last prompt changed nothing in this tree, or it was accepted")
            return False
        return True


class GEONODE_OT_accept_changes(_OfChanges, bpy.types.Operator):
    """Keep what the last prompt did to these nodes; they are not outlined any more"""

    bl_idname = "geonode.accept_changes"
    bl_label = "Accept"

    def execute(self, context: bpy.types.Context) -> set[str]:
        session.current.accepted = True
        editors.redraw_trees()
        return {"FINISHED"}


class GEONODE_OT_take_back(_OfChanges, bpy.types.Operator):
    """Take back what the last prompt did, all of it"""

    bl_idname = "geonode.take_back"
    bl_label = "Take Back"

    def execute(self, context: bpy.types.Context) -> set[str]:
        undo.step_back()
        if not session.current.undone:
            undo.step_forward()
            self.report({"WARNING"}, "You have changed something since; take that back first")
            return {"CANCELLED"}
        editors.redraw_trees()
        return {"FINISHED"}


class GEONODE_OT_settle_group(_OfChanges, bpy.types.Operator):
    """Keep this group of changes, or take it back by itself; what else was done stays, and Undo brings it again"""

    bl_idname = "geonode.settle_group"
    bl_label = "Settle Group"

    group: bpy.props.IntProperty(options={"HIDDEN", "SKIP_SAVE"})
    accept: bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if session.current.running:
            cls.poll_message_set("A run is under way; wait until it ends, or cancel it")
            return False
        return super().poll(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        tree, view = active_tree(context), session.current
        if self.accept:
            view.accept_group(tree, self.group)
        else:
            try:
                view.take_group_back(tree, self.group, say("Take Back Group"))
            except Exception as error:
                self.report({"ERROR"}, told_error(error))
                return {"CANCELLED"}
        editors.redraw_trees()
        return {"FINISHED"}


class GEONODE_OT_change_tree(_OfTree, bpy.types.Operator):
    """Change the tree that is open here as the words say"""

    bl_idname = "geonode.change_tree"
    bl_label = "Change This Tree"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not can_send(cls, context) or not super().poll(context):
            return False
        if not properties.edited().tree_words.strip():
            cls.poll_message_set("Say first what should be different")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        modifier = editors.carrier(context.space_data)
        if modifier is None:
            self.report({"WARNING"}, "No object of this scene uses this tree as a modifier")
            return {"CANCELLED"}
        data = properties.edited()
        words, data.tree_words = take_words(data.tree_words, session.current.prompt), ""
        return send(self, f"Change it: {words}", modifier.id_data.name, modifier.name)


CLASSES = (
    GEONODE_OT_explain_tree,
    GEONODE_OT_show_node,
    GEONODE_OT_accept_changes,
    GEONODE_OT_take_back,
    GEONODE_OT_settle_group,
    GEONODE_OT_change_tree,
)
