# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be done with an earlier run: open it, compare its tree with the file, apply it again, send its prompt again,
forget it; and the whole history as a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from ...host import current
from ...messages import one_line
from ...run import history as runs
from ...run import session
from .. import history, polling, properties
from ..bases import OperatorPart
from ..translation import say, told_error
from .result import send
from .start import can_send

# Lines of a comparison, and letters of each.
SHOWN_LINES, SHOWN_LETTERS = 24, 110
ENDING = ".json"


class GEONODE_OT_history(bpy.types.Operator):
    """Show what was asked before and what came of it, or hide it again"""

    bl_idname = "geonode.history"
    bl_label = "History"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        history.load()
        polling.open_list(history.PART)
        return {"FINISHED"}


class _OfRun(OperatorPart):
    run: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def refused(self, error: Exception) -> set[str]:
        """Says why it cannot be done."""
        self.report({"ERROR"}, told_error(error))
        return {"CANCELLED"}


class GEONODE_OT_show_run(_OfRun, bpy.types.Operator):
    """Show what came of this, and what can be done with it"""

    bl_idname = "geonode.show_run"
    bl_label = "Show Run"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        history.toggle(self.run)
        polling.redraw()
        return {"FINISHED"}


class GEONODE_OT_compare_run(_OfRun, bpy.types.Operator):
    """Say what has changed in this result since: nodes, links, and the values of its modifier"""

    bl_idname = "geonode.compare_run"
    bl_label = "Compare"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        try:
            lines = runs.changes_since(self.run)
        except Exception as error:
            return self.refused(error)
        if lines is None:
            self.report({"INFO"}, "This result is not in the file any more. Apply Again makes a new one of it")
        elif not lines:
            self.report({"INFO"}, "This result is as the run left it")
        elif bpy.app.background:
            self.report({"INFO"}, say("Changed since: {lines}", lines="; ".join(lines[:SHOWN_LINES])))
        else:
            current.window_manager().popup_menu(
                lambda menu, _context: _draw(menu.layout, lines), title=say("Changed Since")
            )
        return {"FINISHED"}


def _draw(layout: Any, lines: list[str]) -> None:
    for line in lines[:SHOWN_LINES]:
        layout.label(text=one_line(line, SHOWN_LETTERS), translate=False)
    if len(lines) > SHOWN_LINES:
        layout.label(text=say("and {count} more", count=len(lines) - SHOWN_LINES))


class _Starts(_OfRun):
    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return can_send(cls, context)


class GEONODE_OT_apply_run(_Starts, bpy.types.Operator):
    """Make this result again, as the run left it, on the active object. What is there stays; one undo takes it back"""

    bl_idname = "geonode.apply_run"
    bl_label = "Apply Again"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        if context.object is None:
            cls.poll_message_set("Select an object first")
        return context.object is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            _, losses = runs.apply(self.run, context.object.name if context.object else None, approve="ask")
        except Exception as error:
            return self.refused(error)
        for loss in losses:
            self.report({"WARNING"}, loss)
        polling.start()
        return {"FINISHED"}


class GEONODE_OT_send_again(_Starts, bpy.types.Operator):
    """Send this prompt again, on the object that it names, else on the active one"""

    bl_idname = "geonode.send_again"
    bl_label = "Send Again"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        try:
            prompt = runs.get(self.run)["prompt"]
        except Exception as error:
            return self.refused(error)
        properties.edited().prompt = prompt
        return send(self, prompt)


class GEONODE_OT_delete_run(_OfRun, bpy.types.Operator):
    """Forget this run, with all of its conversation. What was made stays in the scene; this cannot be undone"""

    bl_idname = "geonode.delete_run"
    bl_label = "Forget…"
    bl_options = {"INTERNAL"}

    def invoke(self, _context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return {*current.window_manager().invoke_confirm(self, event)}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        try:
            conversation = runs.get(self.run)["conversation"]
            count = runs.delete(self.run)
        except Exception as error:
            return self.refused(error)
        if conversation is not None and conversation == session.current.conversation:
            # The next prompt begins another one.
            session.current.conversation, session.current.turns = None, 0
        history.load()
        polling.redraw()
        many, one = "Forgot {count} runs; the scene stays as it is", "Forgot 1 run; the scene stays as it is"
        self.report({"INFO"}, say(many, count=count) if count != 1 else say(one))
        return {"FINISHED"}


class GEONODE_OT_export_history(bpy.types.Operator):
    """Write the history to a JSON file: prompts, outcomes and changes, without the trees"""

    bl_idname = "geonode.export_history"
    bl_label = "Export History…"
    bl_options = {"INTERNAL"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    check_existing: bpy.props.BoolProperty(default=True, options={"HIDDEN"})
    filter_glob: bpy.props.StringProperty(default=f"*{ENDING}", options={"HIDDEN"})

    def invoke(self, _context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        self.filepath = f"geonode_history{ENDING}"
        current.window_manager().fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        path = Path(self.filepath)
        if path.suffix != ENDING:
            path = path.with_name(path.name + ENDING)
        try:
            # The file browser has asked already where a file is there.
            runs.export(path, overwrite=True)
        except Exception as error:
            self.report({"ERROR"}, told_error(error))
            return {"CANCELLED"}
        self.report({"INFO"}, say("Written to {path}", path=path))
        return {"FINISHED"}


CLASSES = (
    GEONODE_OT_history,
    GEONODE_OT_show_run,
    GEONODE_OT_compare_run,
    GEONODE_OT_apply_run,
    GEONODE_OT_send_again,
    GEONODE_OT_delete_run,
    GEONODE_OT_export_history,
)
