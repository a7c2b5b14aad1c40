# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of the last run: copied, written to a file, and from one of its lines to the node that it speaks of."""

from __future__ import annotations

import json
from pathlib import Path

import bpy

from ...host import current, editors, exchange, with_values
from ...run import session
from .. import log, properties
from ..translation import say, told_error

ENDING, WHOLE = ".txt", ".json"


class GEONODE_OT_copy_log(bpy.types.Operator):
    """Copy the log of the last run as it is filtered here: calls of tools, steps, messages with their codes, changes"""

    bl_idname = "geonode.copy_log"
    bl_label = "Copy Log"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        lines = shown_lines()
        current.window_manager().clipboard = "\n".join(lines)
        self.report(
            {"INFO"}, say("Copied {count} lines", count=len(lines)) if len(lines) != 1 else say("Copied 1 line")
        )
        return {"FINISHED"}


def shown_lines() -> list[str]:
    """The lines of the log that the filter lets through; without a filter all of them, with the prompt."""
    data, view = properties.edited(), session.current
    if not properties.is_log_filtered(data):
        return log.whole(view)
    return log.lines(log.chosen(log.entries(view), data.log_part, data.log_severity, data.log_search))


class GEONODE_OT_export_log(bpy.types.Operator):
    """Write the whole log to a text file or, where its name ends in .json, the report of the run with its plan"""

    bl_idname = "geonode.export_log"
    bl_label = "Export Log…"
    bl_options = {"INTERNAL"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    check_existing: bpy.props.BoolProperty(default=True, options={"HIDDEN"})
    filter_glob: bpy.props.StringProperty(default=f"*{ENDING};*{WHOLE}", options={"HIDDEN"})

    def invoke(self, _context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        self.filepath = f"geonode_log{ENDING}"
        current.window_manager().fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, _context: bpy.types.Context) -> set[str]:
        path, report = Path(self.filepath), session.current.report
        if path.suffix not in (ENDING, WHOLE):
            path = path.with_name(path.name + ENDING)
        text = "\n".join(log.whole(session.current))
        if path.suffix == WHOLE:
            text = json.dumps(report.to_dict() if report is not None else {}, ensure_ascii=False, indent=1)
        try:
            # The file browser has asked already where a file is there.
            written = exchange.write_text(text + "\n", path)
        except Exception as error:
            self.report({"ERROR"}, told_error(error))
            return {"CANCELLED"}
        self.report({"INFO"}, say("Written to {path}", path=written))
        return {"FINISHED"}


class GEONODE_OT_show_mentioned(bpy.types.Operator):
    """Open the tree of the node that this line speaks of, select the node and move the view to it"""

    bl_idname = "geonode.show_mentioned"
    bl_label = "Show Node"
    bl_options = {"INTERNAL"}

    tree: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    node: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    object: bpy.props.IntProperty(options={"HIDDEN", "SKIP_SAVE"})
    modifier: bpy.props.IntProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, _context: bpy.types.Context) -> set[str]:
        modifier = with_values.modifier(self.object, self.modifier)
        if modifier is None or not editors.lead_to(modifier, self.tree, self.node):
            self.report({"WARNING"}, say("There is no node “{node}” here any more", node=self.node))
            return {"CANCELLED"}
        return {"FINISHED"}


CLASSES = (GEONODE_OT_copy_log, GEONODE_OT_export_log, GEONODE_OT_show_mentioned)
