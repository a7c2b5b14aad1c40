# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers to what a run asks before it writes: approve, reject, choose, try in the background."""

from __future__ import annotations

from typing import Any

import bpy

from ...host import current
from ...messages import AssistantError
from ...run import session
from .. import polling, properties
from ..parts import OperatorPart


class _Answer(OperatorPart):
    bl_options = {"REGISTER", "INTERNAL"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if not session.current.pending:
            cls.poll_message_set("Nothing waits for a decision")
        return bool(session.current.pending)


class GEONODE_OT_decide(_Answer, bpy.types.Operator):
    """Answer what the run asks before it writes"""

    bl_idname = "geonode.decide"
    bl_label = "Decide"

    request_id: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    accept: bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def description(cls, _context: bpy.types.Context, button: Any) -> str:
        if button.accept:
            return "Apply what is ticked, as one undo step"
        return "Apply nothing. With words below, whoever plans tries again with them; without, the run ends"

    def execute(self, context: bpy.types.Context) -> set[str]:
        data = properties.edited()
        try:
            session.current.decide(self.request_id, self.accept, data.words.strip() or None)
        except Exception as error:
            self.report({"ERROR"}, AssistantError.of(error).message)
            return {"CANCELLED"}
        data.words = ""
        return {"FINISHED"}


class GEONODE_OT_choose(_Answer, bpy.types.Operator):
    """Leave this out of what is applied, or take it back in"""

    bl_idname = "geonode.choose"
    bl_label = "Choose"

    operation_id: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        if session.current.trying:
            cls.poll_message_set("What is ticked is being tried")
        return not session.current.trying

    def execute(self, context: bpy.types.Context) -> set[str]:
        session.current.toggle(self.operation_id)
        polling.redraw()
        return {"FINISHED"}


class _OfScript(_Answer):
    """About the script of one step of the open question."""

    bl_options = {"INTERNAL"}

    step_id: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})


class GEONODE_OT_open_script(_OfScript, bpy.types.Operator):
    """Show the whole script"""

    bl_idname = "geonode.open_script"
    bl_label = "Show Whole Script"

    def execute(self, context: bpy.types.Context) -> set[str]:
        session.current.opened.add(self.step_id)
        polling.redraw()
        return {"FINISHED"}


class GEONODE_OT_copy_script(_OfScript, bpy.types.Operator):
    """Copy the script to the clipboard, to read it in an editor. Nothing is added to this file"""

    bl_idname = "geonode.copy_script"
    bl_label = "Copy Script"

    def execute(self, context: bpy.types.Context) -> set[str]:
        for _, request in session.current.pending:
            for step in request.get("steps", ()):
                if step["id"] == self.step_id and step.get("script"):
                    current.window_manager().clipboard = step["script"]["code"]
                    self.report({"INFO"}, f"Copied {step['script']['lines']} lines")
                    return {"FINISHED"}
        self.report({"ERROR"}, "The question was answered meanwhile")
        return {"CANCELLED"}


class GEONODE_OT_dry_run(_Answer, bpy.types.Operator):
    """Apply what is ticked to a copy of this file in another Blender, and say how it went. This file stays as it is"""

    bl_idname = "geonode.dry_run"
    bl_label = "Try in Background"

    request_id: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        view = session.current
        offer = view.pending[0][1].get("dry_run", {})
        if view.trying:
            cls.poll_message_set("It is being tried")
        elif not offer.get("available"):
            cls.poll_message_set(offer.get("why", "It cannot be tried"))
        else:
            return True
        return False

    def execute(self, _context: bpy.types.Context) -> set[str]:
        session.current.try_out(self.request_id)
        return {"FINISHED"}


class GEONODE_OT_stop_dry_run(bpy.types.Operator):
    """End the trial in the background; the question stays"""

    bl_idname = "geonode.stop_dry_run"
    bl_label = "Stop Trying"
    bl_options = {"REGISTER", "INTERNAL"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if not session.current.trying:
            cls.poll_message_set("Nothing is being tried")
        return session.current.trying

    def execute(self, context: bpy.types.Context) -> set[str]:
        session.current.stop_trying()
        polling.redraw()
        return {"FINISHED"}


CLASSES = (
    GEONODE_OT_decide,
    GEONODE_OT_choose,
    GEONODE_OT_open_script,
    GEONODE_OT_copy_script,
    GEONODE_OT_dry_run,
    GEONODE_OT_stop_dry_run,
)
