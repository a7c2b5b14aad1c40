# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees as files: export one, import one, compare the open one with a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from ...host import build, current, exchange, export
from ...messages import one_line
from ...run import session
from ..bases import OperatorPart
from ..translation import say, told_error
from .ownership import active_tree

ENDING = ".json"
# Letters of a name that no file can have.
_NOT_IN_FILES = '<>:"/\\|?*'


class Compared:
    """The last comparison with a file, and the tree that it is of."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.file = ""
        self._of = 0

    def take(self, tree: Any, file: Path, lines: list[str]) -> None:
        """Keeps a comparison."""
        self._of, self.file, self.lines = tree.session_uid, file.name, lines

    def holds(self, tree: Any) -> bool:
        """Whether there is a comparison of this tree."""
        return bool(self.file) and self._of == tree.session_uid

    def forget(self) -> None:
        """Drops the comparison."""
        self.lines, self.file, self._of = [], "", 0


compared = Compared()
"""What the sidebar shows."""


class _OfFile(OperatorPart):
    bl_options = {"INTERNAL"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(default=f"*{ENDING}", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if session.current.running:
            cls.poll_message_set("A run is under way; wait until it ends, or cancel it")
        elif active_tree(context) is None:
            cls.poll_message_set("Open a Geometry Nodes tree of this file")
        else:
            return True
        return False

    def invoke(self, _context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        current.window_manager().fileselect_add(self)
        return {"RUNNING_MODAL"}

    def refused(self, error: Exception) -> set[str]:
        """Says why the file cannot be used."""
        self.report({"ERROR"}, told_error(error))
        return {"CANCELLED"}


def add_tree(operator: Any, path: str) -> None:
    """Adds the tree of a file for an operator, which says what came of it; raises what ``exchange.read`` does."""
    missing: list[tuple[str, str]] = []
    tree = build.build_tree(exchange.read(path, bpy.app.version[:2]), None, missing)
    # Blender saves no data-block that nothing uses.
    tree.use_fake_user = True
    if missing:
        operator.report({"WARNING"}, exchange.missing_text(missing))
    operator.report({"INFO"}, say("Added the tree “{tree}”", tree=tree.name))


class GEONODE_OT_export_tree(_OfFile, bpy.types.Operator):
    """Write this tree, with the groups in it, to a file for version control or another Blender"""

    bl_idname = "geonode.export_tree"
    bl_label = "Export…"

    check_existing: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        name = one_line(active_tree(context).name)
        self.filepath = "".join("_" if letter in _NOT_IN_FILES else letter for letter in name) + ENDING
        return super().invoke(context, event)

    def execute(self, context: bpy.types.Context) -> set[str]:
        path = Path(self.filepath)
        if path.suffix != ENDING:
            path = path.with_name(path.name + ENDING)
        try:
            written = exchange.write(export.export_tree(active_tree(context)), path)
        except Exception as error:
            return self.refused(error)
        self.report({"INFO"}, say("Written to {path}", path=written))
        return {"FINISHED"}


class GEONODE_OT_import_tree(_OfFile, bpy.types.Operator):
    """Add the tree of a file to this one, for use in modifiers and other trees. Nothing of yours is replaced"""

    bl_idname = "geonode.import_tree"
    bl_label = "Import Tree…"
    bl_options = {"INTERNAL", "UNDO"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if session.current.running:
            cls.poll_message_set("A run is under way; wait until it ends, or cancel it")
        return not session.current.running

    def execute(self, _context: bpy.types.Context) -> set[str]:
        try:
            add_tree(self, self.filepath)
        except Exception as error:
            return self.refused(error)
        return {"FINISHED"}


class GEONODE_OT_compare_tree(_OfFile, bpy.types.Operator):
    """Say in plain words how this tree differs from that of a file"""

    bl_idname = "geonode.compare_tree"
    bl_label = "Compare…"

    def execute(self, context: bpy.types.Context) -> set[str]:
        tree, path = active_tree(context), Path(self.filepath)
        try:
            lines = exchange.diff(exchange.read(path), export.export_tree(tree))
        except Exception as error:
            return self.refused(error)
        compared.take(tree, path, lines)
        if context.area is not None:
            context.area.tag_redraw()
        return {"FINISHED"}


CLASSES = (GEONODE_OT_export_tree, GEONODE_OT_import_tree, GEONODE_OT_compare_tree)
