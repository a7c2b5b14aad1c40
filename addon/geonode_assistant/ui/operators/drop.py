# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are dropped into the window: a plan is asked about and applied, a tree is added to the file."""

from __future__ import annotations

import json
from pathlib import Path

import bpy

from ...host import exchange, undo
from ...messages import one_line
from ...run import session, starting
from .. import polling
from ..translation import say, told_error
from .exchange import ENDING, add_tree
from .start import can_send


class GEONODE_OT_open_plan(bpy.types.Operator):
    """Open a file with a plan or a tree: a plan is shown before it is applied, a tree is added to this file"""

    bl_idname = "geonode.open_plan"
    bl_label = "Open Plan or Tree…"
    bl_options = {"INTERNAL"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return can_send(cls, context)

    def execute(self, _context: bpy.types.Context) -> set[str]:
        path = Path(self.filepath)
        try:
            content = exchange.read_text(path)
            if is_tree(content):
                add_tree(self, self.filepath)
                undo.push(say("Import Tree…"))
                return {"FINISHED"}
            apply_plan(content, one_line(path.stem))
        except Exception as error:
            self.report({"ERROR"}, told_error(error))
            return {"CANCELLED"}
        polling.start()
        return {"FINISHED"}


def is_tree(content: str) -> bool:
    """Whether this text is the document of a tree, rather than a plan; what is neither is refused as a plan."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and "trees" in document and "steps" not in document


def apply_plan(content: str, name: str) -> None:
    """Starts the run of a plan of this name. It may come from anybody, so it is always shown first."""
    request = starting.request_of(name, None, "offline", approve="ask", settings={"preview": True})
    starting.launch(request | {"plan": content}, "ask", name)


class GEONODE_FH_plan(bpy.types.FileHandler):
    bl_idname = "GEONODE_FH_plan"
    bl_label = "GeoNode Plan or Tree"
    bl_import_operator = "geonode.open_plan"
    bl_file_extensions = ENDING

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        return context.area is not None and context.area.type in polling.AREAS and not session.current.running


CLASSES = (GEONODE_OT_open_plan, GEONODE_FH_plan)
