# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree that is open in the Node Editor, or that of the active modifier: what it does, and whose it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...host import editors
from ...run import session
from .. import properties
from ..bases import PanelPart
from ..operators.exchange import compared
from ..operators.ownership import active_tree
from ..operators.result import TAB
from ..operators.tree import shown
from ..overlay import counted
from ..translation import say
from .card import draw_keep
from .log import THREE_PX
from .wrapping import draw_text, draw_texts, is_wide, side_by_side

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

    from ...host.marks import Mark

SHOWN_MARKS, SHOWN_LINES = 12, 20
MARKED = {"added": "{node}: added", "changed": "{node}: changed", "removed": "{node}: removed"}
ICONS: dict[str, IconItems] = {"added": "ADD", "changed": "DOT", "removed": "REMOVE"}


class _Tree(PanelPart):
    bl_label = "This Tree"
    bl_category = TAB
    bl_region_type = "UI"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return active_tree(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout: Any = self.layout
        tree = active_tree(context)
        if tree is None:
            return
        layout.label(text=tree.name, icon="NODETREE", translate=False)
        former = editors.former_workspace()
        if former:
            layout.operator("geonode.go_back", text=say("Back to {workspace}", workspace=former), icon="LOOP_BACK")
        in_editor = context.space_data is not None and context.space_data.type == "NODE_EDITOR"
        marks = session.current.marks(tree)
        if marks:
            draw_changes(layout.box(), marks, in_editor, context)
        if in_editor:
            layout.prop(properties.edited(), "tree_words", text="", placeholder="What should be different in this tree")
            layout.operator("geonode.change_tree", icon="PLAY")
        is_shown = shown.holds(tree)
        layout.operator("geonode.explain_tree", icon="HELP", depress=is_shown)
        if is_shown:
            draw_explanation(layout.box(), in_editor, context)
        draw_keep(layout, tree, False, context)
        draw_files(layout, tree, context)
        draw_text(layout, "What may the assistant do with this tree?", context)
        row = side_by_side(layout, context, "Ask Before Removing", "Let It Be Replaced")
        row.operator("geonode.make_mine")
        row.operator("geonode.let_manage")


def draw_changes(layout: bpy.types.UILayout, marks: list[Mark], in_editor: bool, context: bpy.types.Context) -> None:
    """Draws what the last prompt did to the nodes of the tree, each with a button that goes to it."""
    words = counted(marks)
    draw_text(layout, say("The last prompt changed this tree: {words}.", words=words), context, "NODE_SEL")
    several = len({mark.group for mark in marks}) > 1
    last = 0
    for mark in sorted(marks, key=lambda mark: mark.group)[:SHOWN_MARKS]:
        if several and mark.group != last:
            last = mark.group
            _draw_group(layout, last, context)
        row = layout.row(align=True)
        if in_editor and mark.kind != "removed":
            row.operator("geonode.show_node", text="", icon="VIEWZOOM", emboss=False).node = mark.name
        else:
            row.label(text="", icon=ICONS[mark.kind])
        draw_text(row.column(align=True), say(MARKED[mark.kind], node=mark.name), context, beside=True, nested=True)
    if len(marks) > SHOWN_MARKS:
        layout.label(text=say("and {count} more", count=len(marks) - SHOWN_MARKS))
    row = side_by_side(layout, context, "Accept", "Take Back")
    row.operator("geonode.accept_changes", icon="CHECKMARK")
    row.operator("geonode.take_back", icon="LOOP_BACK")


def _draw_group(layout: bpy.types.UILayout, group: int, context: bpy.types.Context) -> None:
    """Draws the buttons that keep or take back one group of changes, above its nodes."""
    row = layout.row(align=True)
    row.label(text=say("Group {number}", number=group))
    for accept, text in ((True, "Accept"), (False, "Take Back")):
        shown: IconItems = "CHECKMARK" if accept else "LOOP_BACK"
        button = row.operator("geonode.settle_group", text=text if is_wide(context, THREE_PX) else "", icon=shown)
        button.group, button.accept = group, accept


def draw_files(layout: bpy.types.UILayout, tree: Any, context: bpy.types.Context) -> None:
    """Draws the buttons for trees as files, and the last comparison with one."""
    place = layout.row(align=True) if is_wide(context, THREE_PX) else layout.column(align=True)
    place.operator("geonode.export_tree", icon="EXPORT")
    place.operator("geonode.import_tree", text="Import…", icon="IMPORT")
    place.operator("geonode.compare_tree", icon="VIEWZOOM")
    if compared.holds(tree):
        box = layout.box()
        draw_text(
            box,
            say("Since {file}:", file=compared.file) if compared.lines else say("As in {file}.", file=compared.file),
            context,
            "FILE",
        )
        draw_texts(box, ((line, "DOT") for line in compared.lines[:SHOWN_LINES]), context)
        if len(compared.lines) > SHOWN_LINES:
            box.label(text=say("and {count} more changes", count=len(compared.lines) - SHOWN_LINES))


def draw_explanation(layout: bpy.types.UILayout, in_editor: bool, context: bpy.types.Context) -> None:
    """Draws the lines of the explanation; in the Node Editor each leads to its node."""
    for part in shown.parts:
        if not part.node or not in_editor:
            draw_text(layout, part.text, context, "DOT" if part.node else "NONE", nested=True)
            continue
        row = layout.row(align=True)
        row.operator("geonode.show_node", text="", icon="VIEWZOOM", emboss=False).node = part.node
        draw_text(row.column(align=True), part.text, context, beside=True, nested=True)


class GEONODE_PT_tree_nodes(_Tree, bpy.types.Panel):
    bl_idname = "GEONODE_PT_tree_nodes"
    bl_space_type = "NODE_EDITOR"
    bl_order = 1


class GEONODE_PT_tree_view3d(_Tree, bpy.types.Panel):
    bl_idname = "GEONODE_PT_tree_view3d"
    bl_space_type = "VIEW_3D"
    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 1


CLASSES = (GEONODE_PT_tree_nodes, GEONODE_PT_tree_view3d)
