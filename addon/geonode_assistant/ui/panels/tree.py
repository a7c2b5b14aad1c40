# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree that is open in the Node Editor, or that of the active modifier: what it does, and whose it is."""

from __future__ import annotations

from typing import Any

import bpy

from .. import properties
from ..bases import PanelPart
from ..operators.ownership import active_tree
from ..operators.tree import shown
from .card import draw_keep
from .wrapping import draw_text

_BUTTON_PX = 24


class _Tree(PanelPart):
    bl_label = "This Tree"
    bl_category = "GeoNode"
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
        in_editor = context.space_data is not None and context.space_data.type == "NODE_EDITOR"
        if in_editor:
            layout.prop(properties.edited(), "tree_words", text="", placeholder="What should be different in this tree")
            layout.operator("geonode.change_tree", icon="PLAY")
        is_shown = shown.holds(tree)
        layout.operator("geonode.explain_tree", icon="HELP", depress=is_shown)
        if is_shown:
            draw_explanation(layout.box(), in_editor, context)
        draw_keep(layout, tree, False, context)
        row = layout.row(align=True)
        row.operator("geonode.make_mine")
        row.operator("geonode.let_manage", text="Let It Manage")


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
