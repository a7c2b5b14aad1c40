# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers to a question that a run asks before it writes: approve, reject, choose, start a dry run."""

from __future__ import annotations

from typing import Any

import bpy

from ...host import current, reading
from ...run import session
from .. import polling, properties
from ..bases import OperatorPart
from ..translation import say, told_error


class _Answer(OperatorPart):
    bl_options = {"REGISTER", "INTERNAL"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if not session.current.pending:
            cls.poll_message_set("There is no question to answer")
        return bool(session.current.pending)


class GEONODE_OT_decide(_Answer, bpy.types.Operator):
    """Answer the question that the run asks before it changes the file"""

    bl_idname = "geonode.decide"
    bl_label = "Decide"

    request_id: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    accept: bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def description(cls, _context: bpy.types.Context, button: Any) -> str:
        if button.accept:
            return "Apply everything that is ticked, as one undo step"
        return "Apply nothing. If you say below what should be different, a new plan is made; otherwise the run ends"

    def execute(self, context: bpy.types.Context) -> set[str]:
        data = properties.edited()
        request = dict(session.current.pending).get(self.request_id)
        unread = session.current.unread(request) if self.accept and request is not None else ""
        if unread:
            self.report({"WARNING"}, say(unread))
            return {"CANCELLED"}
        try:
            session.current.decide(self.request_id, self.accept, data.words.strip() or None)
        except Exception as error:
            self.report({"ERROR"}, told_error(error))
            return {"CANCELLED"}
        data.words = ""
        return {"FINISHED"}


class _Choice(_Answer):
    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        if session.current.trying:
            cls.poll_message_set("Wait until the dry run has ended, or stop it")
        return not session.current.trying


class GEONODE_OT_choose(_Choice, bpy.types.Operator):
    """Leave this out when the plan is applied, or include it again"""

    bl_idname = "geonode.choose"
    bl_label = "Choose"

    operation_id: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        session.current.toggle(self.operation_id)
        polling.redraw()
        return {"FINISHED"}


class GEONODE_OT_choose_group(_Choice, bpy.types.Operator):
    """Leave all of these out when the plan is applied, or include them again"""

    bl_idname = "geonode.choose_group"
    bl_label = "Choose Group"

    step_id: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    topic: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        view = session.current
        ids = [
            operation["id"]
            for _, request in view.pending
            for step in request.get("steps", ())
            if step["id"] == self.step_id
            for operation in step.get("operations", ())
            if operation.get("topic", "new_nodes") == self.topic
        ]
        view.choose(ids, not view.left_out.isdisjoint(ids))
        polling.redraw()
        return {"FINISHED"}


class GEONODE_OT_open_group(_Answer, bpy.types.Operator):
    """Show these one by one, or only their number"""

    bl_idname = "geonode.open_group"
    bl_label = "Show One by One"
    bl_options = {"INTERNAL"}

    group: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        session.current.opened ^= {self.group}
        polling.redraw()
        return {"FINISHED"}


class _OfScript(_Answer):
    """Base of the operators for the script of one step of the open question."""

    bl_options = {"INTERNAL"}

    step_id: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})


class GEONODE_OT_turn_page(_OfScript, bpy.types.Operator):
    """Show another page of the script. Approve opens once the last one was shown"""

    bl_idname = "geonode.turn_page"
    bl_label = "Turn Page"

    page: bpy.props.IntProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        session.current.turn_page(self.step_id, self.page)
        polling.redraw()
        return {"FINISHED"}


class GEONODE_OT_confirm_script(_OfScript, bpy.types.Operator):
    """You have read this script and want it to run without limits. It can do whatever you can do on this computer"""

    bl_idname = "geonode.confirm_script"
    bl_label = "Run It Without Limits"

    def execute(self, context: bpy.types.Context) -> set[str]:
        session.current.confirm(self.step_id)
        polling.redraw()
        return {"FINISHED"}


class GEONODE_OT_read_script(_OfScript, bpy.types.Operator):
    """Show the whole script in the Text Editor until you have answered; editing it there does not change what runs"""

    bl_idname = "geonode.read_script"
    bl_label = "Open in Text Editor"

    def execute(self, context: bpy.types.Context) -> set[str]:
        view = session.current
        script = view.script(self.step_id)
        if script is None:
            self.report({"ERROR"}, "The question has been answered in the meantime")
            return {"CANCELLED"}
        reading.show(script["code"], script["marks"])
        # All of it is there to be read.
        view.turn_page(self.step_id, session.pages_of(script["code"]) - 1)
        polling.redraw()
        return {"FINISHED"}


class GEONODE_OT_copy_script(_OfScript, bpy.types.Operator):
    """Copy the script to the clipboard, to read it in an editor. Nothing is added to this file"""

    bl_idname = "geonode.copy_script"
    bl_label = "Copy Script"

    def execute(self, context: bpy.types.Context) -> set[str]:
        script = session.current.script(self.step_id)
        if script is None:
            self.report({"ERROR"}, "The question has been answered in the meantime")
            return {"CANCELLED"}
        current.window_manager().clipboard = script["code"]
        self.report({"INFO"}, say("Copied {count} lines", count=script["lines"]))
        return {"FINISHED"}


class GEONODE_OT_dry_run(_Answer, bpy.types.Operator):
    """Apply everything that is ticked to a copy of this file, in another Blender. This file is not changed"""

    bl_idname = "geonode.dry_run"
    bl_label = "Dry Run"

    request_id: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        view = session.current
        offer = view.pending[0][1].get("dry_run")
        if view.trying:
            cls.poll_message_set("A dry run is already under way")
        elif not offer or not offer.get("available"):
            why = offer.get("why") if offer else None
            cls.poll_message_set(why or "This plan cannot be applied in a dry run")
        else:
            return True
        return False

    def execute(self, _context: bpy.types.Context) -> set[str]:
        session.current.try_out(self.request_id)
        return {"FINISHED"}


class GEONODE_OT_stop_dry_run(bpy.types.Operator):
    """Stop the dry run; the question stays open"""

    bl_idname = "geonode.stop_dry_run"
    bl_label = "Stop Dry Run"
    bl_options = {"REGISTER", "INTERNAL"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if not session.current.trying:
            cls.poll_message_set("No dry run is under way")
        return session.current.trying

    def execute(self, context: bpy.types.Context) -> set[str]:
        session.current.stop_trying()
        polling.redraw()
        return {"FINISHED"}


CLASSES = (
    GEONODE_OT_decide,
    GEONODE_OT_choose,
    GEONODE_OT_choose_group,
    GEONODE_OT_open_group,
    GEONODE_OT_turn_page,
    GEONODE_OT_confirm_script,
    GEONODE_OT_read_script,
    GEONODE_OT_copy_script,
    GEONODE_OT_dry_run,
    GEONODE_OT_stop_dry_run,
)
