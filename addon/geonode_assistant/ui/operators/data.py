# SPDX-License-Identifier: GPL-3.0-or-later
"""Remove what the add-on keeps on this computer."""

from __future__ import annotations

from typing import Any

import bpy

from ...host import current
from ...run import kept, sent, session
from .. import gallery, history, polling
from ..translation import say, told_error

WIDTH_PX = 420
# The part of the sidebar that shows what is sent.
SENT = "sent"
described: list[str] = []
"""The scene as it would be sent, when that was asked for."""
LINES = (
    "Conversations, the history, kept answers of models and copies made before scripts are removed.",
    "Keys, the log of what was sent and your .blend files stay.",
)


class GEONODE_OT_remove_data(bpy.types.Operator):
    """Remove prompts, answers and other files that the assistant keeps on this computer. Results in your files stay"""

    bl_idname = "geonode.remove_data"
    bl_label = "Remove My Data…"
    bl_options = {"REGISTER", "INTERNAL"}

    presets: bpy.props.BoolProperty(
        name="Also My Presets", description="Delete the presets that you have kept, with their pictures", default=False
    )

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if session.current.running:
            cls.poll_message_set("A run is under way; wait until it ends, or cancel it")
        return not session.current.running

    def invoke(self, _context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        return {*current.window_manager().invoke_props_dialog(self, width=WIDTH_PX, confirm_text="Remove")}

    def draw(self, _context: bpy.types.Context) -> None:
        layout: Any = self.layout
        for line in LINES:
            layout.label(text=line)
        layout.prop(self, "presets")

    def execute(self, _context: bpy.types.Context) -> set[str]:
        session.current.reset("")
        try:
            count = kept.remove(presets=self.presets)
        except Exception as error:
            self.report({"ERROR"}, told_error(error))
            return {"CANCELLED"}
        history.load()
        gallery.load()
        self.report({"INFO"}, say("Removed {count} files", count=count) if count != 1 else say("Removed 1 file"))
        return {"FINISHED"}


class GEONODE_OT_show_sent(bpy.types.Operator):
    """Read what of this scene the next prompt would send, and what is sent beside it. Nothing is sent now"""

    bl_idname = "geonode.show_sent"
    bl_label = "What Is Sent"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        view = session.current
        if SENT not in view.shown:
            try:
                described[:] = sent.lines()
            except Exception as error:
                self.report({"ERROR"}, told_error(error))
                return {"CANCELLED"}
        view.show(SENT)
        polling.redraw()
        return {"FINISHED"}


CLASSES = (GEONODE_OT_remove_data, GEONODE_OT_show_sent)
