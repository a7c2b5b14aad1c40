# SPDX-License-Identifier: GPL-3.0-or-later
"""Showing a node tree in an editor of the window."""

from __future__ import annotations

from typing import Any

import bpy

from . import current

_KIND = "GeometryNodeTree"
# The workspace that Blender's start-up file has for this.
_WORKSPACE = "Geometry Nodes"


def show_tree(modifier: Any) -> None:
    """Makes the modifier the active one and shows its tree: in an editor of the window, else in the workspace for
    geometry nodes, else in a new window.
    """
    obj = modifier.id_data
    if not obj.visible_get(view_layer=current.view_layer()) or obj.mode != "OBJECT":
        _pin(modifier)
        return
    for other in current.view_layer().objects.selected:
        other.select_set(False)
    obj.select_set(True)
    current.view_layer().objects.active = obj
    obj.modifiers.active = modifier
    _pin(modifier)


def carrier(space: Any) -> Any:
    """The modifier whose tree an editor shows, or None: of the object that the editor is about, of the active one, or
    of any, since a pinned tree may be of another.
    """
    tree = getattr(space, "node_tree", None)
    if tree is None:
        return None
    about = [obj for obj in (getattr(space, "id", None), bpy.context.object) if isinstance(obj, bpy.types.Object)]
    for obj in [*about, *current.view_layer().objects]:
        for modifier in obj.modifiers:
            if modifier.type == "NODES" and modifier.node_group == tree:
                return modifier
    return None


def show_node(space: Any, name: str) -> bool:
    """Selects a node of the tree that an editor shows and moves the view to it. Returns whether there is one."""
    tree = space.edit_tree
    node = tree.nodes.get(name) if tree is not None else None
    if node is None:
        return False
    for other in tree.nodes:
        other.select = other == node
    tree.nodes.active = node
    area = next((a for a in bpy.context.screen.areas if a.spaces.active == space), None) if bpy.context.screen else None
    region = next((r for r in area.regions if r.type == "WINDOW"), None) if area is not None else None
    if region is not None:
        override: Any = bpy.context.temp_override(area=area, region=region)
        with override:
            bpy.ops.node.view_selected()
    return True


def redraw_trees() -> None:
    """Redraws all Node Editors."""
    for window in current.window_manager().windows:
        for area in window.screen.areas:
            if area.type == "NODE_EDITOR":
                area.tag_redraw()


def show_sidebar(area: Any) -> None:
    """Opens the sidebar of an editor; nothing without one."""
    space: Any = area.spaces.active if area is not None else None
    if space is not None and hasattr(space, "show_region_ui"):
        space.show_region_ui = True


def _pin(modifier: Any) -> None:
    """Shows the tree where an editor is; one that shows something pinned follows as well."""
    window = bpy.context.window
    if window is None:
        return
    area = _editor(window)
    if area is None and _WORKSPACE in bpy.data.workspaces:
        window.workspace = bpy.data.workspaces[_WORKSPACE]
        # The editors of a workspace follow the active object once they are drawn.
        return
    if area is None:
        bpy.ops.wm.window_new()
        area = current.window_manager().windows[-1].screen.areas[0]
        area.ui_type = _KIND
    space: Any = area.spaces.active
    if space.node_tree != modifier.node_group:
        space.node_tree = modifier.node_group


def _editor(window: Any) -> Any:
    return next((area for area in window.screen.areas if area.ui_type == _KIND), None)
