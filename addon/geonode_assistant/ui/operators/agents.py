# SPDX-License-Identifier: GPL-3.0-or-later
"""The artist's say over other programs: copy what they need to connect, pause, take over, revoke, allow changes."""

from __future__ import annotations

import bpy

from ...agents.server import current as programs
from ...host import current
from .. import polling
from ..bases import OperatorPart


class _OfPrograms(OperatorPart):
    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if not programs.running:
            cls.poll_message_set("Let other programs use the assistant in the add-on's preferences first")
        return programs.running


class GEONODE_OT_copy_client_configuration(_OfPrograms, bpy.types.Operator):
    """Copies the configuration for a program that connects to this Blender."""

    bl_description = (
        "Copy the configuration with which a program connects to this Blender. It holds the token of this session: "
        "whoever has it can use the assistant, so paste it nowhere else"
    )

    bl_idname = "geonode.copy_client_configuration"
    bl_label = "Copy Configuration"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        current.window_manager().clipboard = programs.configuration()
        self.report({"INFO"}, "Copied. It holds for this session of Blender, until you revoke it")
        return {"FINISHED"}


class GEONODE_OT_copy_client_command(_OfPrograms, bpy.types.Operator):
    """Copy the configuration for a program that starts its servers itself. It finds Blender also after a restart"""

    bl_idname = "geonode.copy_client_command"
    bl_label = "Copy Command"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        current.window_manager().clipboard = programs.command()
        self.report({"INFO"}, "Copied. It holds until the add-on or Blender moves to another folder")
        return {"FINISHED"}


class GEONODE_OT_pause_programs(_OfPrograms, bpy.types.Operator):
    """Let no further call of other programs start, or let them go on"""

    bl_idname = "geonode.pause_programs"
    bl_label = "Pause"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        programs.pause(not programs.paused)
        polling.redraw()
        return {"FINISHED"}


class GEONODE_OT_take_over(_OfPrograms, bpy.types.Operator):
    """Pause other programs, and take back what one of them is changing"""

    bl_idname = "geonode.take_over"
    bl_label = "Take Over"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        programs.take_over()
        polling.redraw()
        return {"FINISHED"}


class GEONODE_OT_revoke_programs(_OfPrograms, bpy.types.Operator):
    """End all connections of other programs. Whoever connects again needs the new configuration"""

    bl_idname = "geonode.revoke_programs"
    bl_label = "Revoke"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        programs.revoke()
        polling.redraw()
        return {"FINISHED"}


class _OfQuestion(OperatorPart):
    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if programs.asked is None:
            cls.poll_message_set("No program asks anything")
        return programs.asked is not None


class GEONODE_OT_answer_program(_OfQuestion, bpy.types.Operator):
    """Allow what the program wants to do, or reject it"""

    bl_idname = "geonode.answer_program"
    bl_label = "Answer"
    bl_options = {"INTERNAL"}

    accept: bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"})
    question: bpy.props.IntProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, _context: bpy.types.Context) -> set[str]:
        polling.redraw()
        if programs.asked is None or programs.asked.number != self.question:
            # Another question has come while the panel showed the one that was answered.
            self.report({"WARNING"}, "The program asks something else by now; look again")
            return {"CANCELLED"}
        programs.decide(self.accept)
        return {"FINISHED"}


class GEONODE_OT_allow_program(_OfPrograms, bpy.types.Operator):
    """Lets a program make changes without a question, or no longer."""

    bl_description = (
        "Let this program make changes without a question until it leaves or is revoked, or another file is opened; or "
        "ask again each time. Scripts, deletions, heavy results and files that are replaced always ask"
    )

    bl_idname = "geonode.allow_program"
    bl_label = "Allow Changes"
    bl_options = {"INTERNAL"}

    sessions: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, _context: bpy.types.Context) -> set[str]:
        programs.allowed ^= {int(session) for session in self.sessions.split()}
        polling.redraw()
        return {"FINISHED"}


CLASSES = (
    GEONODE_OT_copy_client_configuration,
    GEONODE_OT_copy_client_command,
    GEONODE_OT_pause_programs,
    GEONODE_OT_take_over,
    GEONODE_OT_revoke_programs,
    GEONODE_OT_answer_program,
    GEONODE_OT_allow_program,
)
