# SPDX-License-Identifier: GPL-3.0-or-later
"""Send a prompt, cancel its run, start a new conversation."""

from __future__ import annotations

import bpy

from ...run import session
from .. import properties
from .result import send
from .start import can_send


class GEONODE_OT_send(bpy.types.Operator):
    """Make the Geometry Nodes tree that the prompt describes: on the object that it names, else on the active one"""

    bl_idname = "geonode.send"
    bl_label = "Send"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not can_send(cls, context):
            return False
        if not properties.edited().prompt.strip():
            cls.poll_message_set("Type a prompt first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        # Which object is meant is read from the words first: one that they name and that does not exist is said.
        return send(self, properties.edited().prompt)


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
    """Start afresh: the next prompt does not follow the earlier ones. What was made stays in the file"""

    bl_idname = "geonode.new_conversation"
    bl_label = "New Conversation"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if session.current.running:
            cls.poll_message_set("A run is under way; wait until it ends, or cancel it")
        elif session.current.conversation is None and session.current.summary == "IDLE":
            cls.poll_message_set("This is already a new conversation")
        else:
            return True
        return False

    def execute(self, _context: bpy.types.Context) -> set[str]:
        session.current.reset("")
        return {"FINISHED"}


CLASSES = (GEONODE_OT_send, GEONODE_OT_cancel, GEONODE_OT_new_conversation)
