# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done about a result: try again, change it with words, other random numbers, open its tree."""

from __future__ import annotations

from typing import Any

import bpy

from ...host import editors, sliders, undo
from ...messages import AssistantError
from ...run import session, starting
from .. import polling, properties
from ..bases import OperatorPart
from ..translation import told_error

TAB = "GeoNode"
"""Of the sidebars."""


def take_words(words: str, sent: str) -> str:
    """Words that were typed to change a result, without the spaces around them. The prompt ``sent`` before leaves its
    field, where a second Send would do it again.
    """
    data = properties.edited()
    if data.prompt.strip() == sent.strip():
        data.prompt = ""
    return words.strip()


def send(operator: Any, prompt: str, target: str | None = None, modifier: str | None = None) -> set[str]:
    """Starts the run of a prompt for an operator; ``target`` is the object that it works on, None leaves that to the
    words and the active object; ``modifier`` is one of that object.
    """
    conversation = session.current.conversation
    try:
        starting.start(prompt, object=target, conversation=conversation, approve="ask", modifier=modifier)
    except Exception as error:
        known = AssistantError.of(error)
        session.current.refuse(known, prompt)
        operator.report({"ERROR"}, told_error(known))
        return {"CANCELLED"}
    polling.start()
    return {"FINISHED"}


class _OfResult(OperatorPart):
    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if session.current.running:
            cls.poll_message_set("A run is under way; wait until it ends, or cancel it")
        elif not session.current.standing:
            cls.poll_message_set("There is no result in this file")
        else:
            return True
        return False


class GEONODE_OT_try_again(bpy.types.Operator):
    """Send the same prompt again; its last result is taken back first"""

    bl_idname = "geonode.try_again"
    bl_label = "Try Again"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if session.current.running:
            cls.poll_message_set("A run is under way; wait until it ends, or cancel it")
        elif not session.current.prompt.strip() or not session.current.is_prompt:
            cls.poll_message_set("No prompt was sent yet")
        elif context.mode != "OBJECT":
            cls.poll_message_set("Switch to Object Mode first")
        else:
            return True
        return False

    def execute(self, _context: bpy.types.Context) -> set[str]:
        view = session.current
        prompt = view.prompt
        if view.results:
            undo.step_back()
            if not view.undone:
                undo.step_forward()
                self.report({"WARNING"}, "You have changed something since; take that back first")
                return {"CANCELLED"}
        return send(self, prompt)


class GEONODE_OT_change(_OfResult, bpy.types.Operator):
    """Change this result as the words say"""

    bl_idname = "geonode.change"
    bl_label = "Change with Words"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        if context.mode != "OBJECT":
            cls.poll_message_set("Switch to Object Mode first")
        elif not properties.edited().change.strip():
            cls.poll_message_set("Say first what should be different")
        else:
            return True
        return False

    def execute(self, _context: bpy.types.Context) -> set[str]:
        data = properties.edited()
        words, data.change = take_words(data.change, session.current.prompt), ""
        # Said in this way, words change what is there, whoever plans; others add something new.
        return send(self, f"Change it: {words}", session.current.standing[0].id_data.name)


class GEONODE_OT_randomize(_OfResult, bpy.types.Operator):
    """Give every seed of the result another value"""

    bl_idname = "geonode.randomize"
    bl_label = "Other Random Numbers"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        found = sum(sliders.randomize(modifier) for modifier in session.current.standing)
        if not found:
            self.report({"WARNING"}, "The result has no seed")
        return {"FINISHED"} if found else {"CANCELLED"}


class GEONODE_OT_open_tree(_OfResult, bpy.types.Operator):
    """Show the nodes of this result in the Geometry Node editor"""

    bl_idname = "geonode.open_tree"
    bl_label = "Open Tree"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        modifier = session.current.standing[0]
        editors.show_tree(modifier)
        editors.frame_tree(modifier, TAB)
        return {"FINISHED"}


class GEONODE_OT_go_back(bpy.types.Operator):
    """Go back to the workspace from which this tree was opened"""

    bl_idname = "geonode.go_back"
    bl_label = "Go Back"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return bool(editors.former_workspace())

    def execute(self, _context: bpy.types.Context) -> set[str]:
        editors.go_back()
        return {"FINISHED"}


class GEONODE_OT_show(bpy.types.Operator):
    """Show this part, or hide it again"""

    bl_idname = "geonode.show"
    bl_label = "Show"
    bl_options = {"INTERNAL"}

    part: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, _context: bpy.types.Context) -> set[str]:
        session.current.show(self.part)
        polling.redraw()
        return {"FINISHED"}


CLASSES = (
    GEONODE_OT_try_again,
    GEONODE_OT_change,
    GEONODE_OT_randomize,
    GEONODE_OT_open_tree,
    GEONODE_OT_go_back,
    GEONODE_OT_show,
)
