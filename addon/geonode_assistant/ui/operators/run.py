# SPDX-License-Identifier: GPL-3.0-or-later
"""Send a prompt, cancel its run, start a new conversation."""

from __future__ import annotations

import bpy

from ...messages import AssistantError
from ...run import session, starting
from .. import polling, properties


class GEONODE_OT_send(bpy.types.Operator):
    """Make the Geometry Nodes tree that the prompt describes, on the active object"""

    bl_idname = "geonode.send"
    bl_label = "Send"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if session.current.running:
            cls.poll_message_set("A run is under way; wait until it ends, or cancel it")
        elif context.mode != "OBJECT":
            cls.poll_message_set("Switch to Object Mode first")
        elif not properties.edited().prompt.strip():
            cls.poll_message_set("Type a prompt first")
        else:
            return True
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        prompt = properties.edited().prompt
        try:
            name = context.object.name if context.object else None
            starting.start(prompt, object=name, conversation=session.current.conversation, approve="ask")
        except Exception as error:
            known = AssistantError.of(error)
            session.current.refuse(known, prompt)
            self.report({"ERROR"}, known.message)
            return {"CANCELLED"}
        polling.start()
        return {"FINISHED"}


class GEONODE_OT_cancel(bpy.types.Operator):
    """Stop the run; everything it changed is restored"""

    bl_idname = "geonode.cancel"
    bl_label = "Cancel"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if not session.current.running:
            cls.poll_message_set("Nothing is running")
        return session.current.running

    def execute(self, _context: bpy.types.Context) -> set[str]:
        session.current.cancel()
        return {"FINISHED"}


class GEONODE_OT_new_conversation(bpy.types.Operator):
    """Start afresh: the next prompt does not follow the earlier ones"""

    bl_idname = "geonode.new_conversation"
    bl_label = "New Conversation"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if session.current.running:
            cls.poll_message_set("A run is under way; wait until it ends, or cancel it")
        elif session.current.conversation is None:
            cls.poll_message_set("This is already a new conversation")
        else:
            return True
        return False

    def execute(self, _context: bpy.types.Context) -> set[str]:
        session.current.new_conversation()
        return {"FINISHED"}


CLASSES = (GEONODE_OT_send, GEONODE_OT_cancel, GEONODE_OT_new_conversation)
