# SPDX-License-Identifier: GPL-3.0-or-later
"""Showing a node tree in an editor of the window."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import bpy

from . import current

_KIND = "GeometryNodeTree"
# The workspace that Blender's start-up file has for this.
_WORKSPACE = "Geometry Nodes"
# How often, and after how long, it is looked whether an editor has followed.
_TRIES, _INTERVAL_S = 40, 0.05
_came_from = ""


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


def frame_tree(modifier: Any, tab: str) -> None:
    """Brings all nodes of the tree of a modifier into the view of the editor that shows it, and opens this tab of its
    sidebar.
    """
    arrival = _frame(modifier.node_group.name, tab)
    wait = next(arrival, None)
    if wait is not None:
        bpy.app.timers.register(partial(next, arrival, None), first_interval=wait)


def _frame(root: str, tab: str) -> Iterator[float]:
    for _ in range(_TRIES):
        if _showing(root) is not None:
            break
        yield _INTERVAL_S
    # The size of nodes, which the view needs, is known once they were drawn.
    yield _INTERVAL_S
    yield _INTERVAL_S
    space = _showing(root)
    if space is None:
        return
    space.show_region_ui = True
    _in_editor(space, lambda: bpy.ops.node.view_all())
    # Its tabs are known once it was drawn, and not all Blenders let them be chosen.
    yield _INTERVAL_S
    yield _INTERVAL_S
    for window in current.window_manager().windows:
        for area in window.screen.areas:
            if area.type == "NODE_EDITOR" and area.spaces.active == space:
                sidebars: list[Any] = [region for region in area.regions if region.type == "UI"]
                for sidebar in sidebars:
                    with contextlib.suppress(AttributeError, TypeError):
                        sidebar.active_panel_category = tab


def former_workspace() -> str:
    """The workspace from which a tree was opened in this one; empty if none was, or it is gone."""
    window = bpy.context.window
    here = window is not None and window.workspace is not None and window.workspace.name == _WORKSPACE
    return _came_from if here and _came_from in bpy.data.workspaces else ""


def go_back() -> None:
    """Shows the workspace again from which a tree was opened."""
    name, window = former_workspace(), bpy.context.window
    if name and window is not None:
        window.workspace = bpy.data.workspaces[name]


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
    _in_editor(space, lambda: bpy.ops.node.view_selected())
    return True


def _in_editor(space: Any, work: Callable[[], object]) -> None:
    """Does some work as if it was called in the editor that has this space."""
    shown = [(w, a) for w in current.window_manager().windows for a in w.screen.areas if a.spaces.active == space]
    for window, area in shown:
        region = next((r for r in area.regions if r.type == "WINDOW"), None)
        if region is not None:
            override: Any = bpy.context.temp_override(window=window, area=area, region=region)
            with override:
                work()


def lead_to(modifier: Any, tree: str, name: str) -> bool:
    """Shows a node of the modifier's tree, or of a group in it, in an editor, selected and in the middle of it. Returns
    whether there is one.
    """
    way = _way(modifier.node_group, tree)
    if way is None or bpy.data.node_groups[tree].nodes.get(name) is None:
        return False
    show_tree(modifier)
    arrival = _arrive(modifier.node_group.name, way, tree, name)
    wait = next(arrival, None)
    if wait is not None:
        bpy.app.timers.register(partial(next, arrival, None), first_interval=wait)
    return True


def _way(tree: Any, wanted: str, seen: frozenset[str] = frozenset()) -> list[str] | None:
    """The names of the group nodes that lead from a tree to the one of this name; None if none do."""
    if tree is None or tree.name in seen:
        return None
    if tree.name == wanted:
        return []
    for node in tree.nodes:
        inner = getattr(node, "node_tree", None)
        found = _way(inner, wanted, seen | {tree.name}) if inner is not None else None
        if found is not None:
            return [node.name, *found]
    return None


def _arrive(root: str, way: list[str], tree: str, name: str) -> Iterator[float]:
    """Moves the editor that shows the tree ``root`` to a node, along the group nodes on the way. Yields in how many
    seconds to go on: an editor of another workspace follows the active object, and sets its view, once it is drawn.
    """
    for _ in range(_TRIES):
        if _showing(root) is not None:
            break
        yield _INTERVAL_S
        if _showing(root) is not None:
            yield _INTERVAL_S
            yield _INTERVAL_S
    space = _showing(root)
    if space is None:
        return
    if space.edit_tree.name != tree:
        space.path.start(space.node_tree)
        for group in way:
            node = space.edit_tree.nodes.get(group)
            if node is None or node.node_tree is None:
                return
            space.path.append(node.node_tree, node=node)
        # The size of a node, which the view needs, is known once it was drawn.
        yield _INTERVAL_S
        space = _showing(root)
    if space is not None:
        show_node(space, name)


def _showing(root: str) -> Any:
    """The editor that shows the tree of this name; None if there is none."""
    window = bpy.context.window or next(iter(current.window_manager().windows), None)
    area = _editor(window) if window is not None else None
    space: Any = area.spaces.active if area is not None else None
    return space if space is not None and getattr(space.node_tree, "name", "") == root else None


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
        global _came_from
        _came_from = window.workspace.name
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
