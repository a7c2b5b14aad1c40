# SPDX-License-Identifier: GPL-3.0-or-later
"""A row at each group of outlined nodes in the Node Editor: what the last prompt did to them, and two buttons that keep
it or take it back. Drawn over the editor, never written into the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import blf
import bpy

from ..run import session
from . import overlay
from .canvas import Canvas
from .translation import say

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import IconItems

# Groups that have a row; the sidebar lists all.
MOST = 12
# At interface scale 1, in pixels: height of a row, a button, space, the size of the letters.
ROW_PX, BUTTON_PX, GAP_PX, LETTERS = 22.0, 20.0, 6.0, 11.0
BUTTONS: tuple[tuple[bool, IconItems], ...] = ((True, "CHECKMARK"), (False, "LOOP_BACK"))
# Behind the words, and the words.
BACK, WORDS = (0.1, 0.1, 0.1, 0.85), (0.95, 0.95, 0.95, 1.0)


class Row(NamedTuple):
    """The row of one group: its lower left corner and the width of its words, in pixels of the region."""

    group: int
    text: str
    x: float
    y: float
    width: float


def rows(tree: Any, region: Any, scale: float) -> list[Row]:
    """The rows of the groups that can be seen, the lowest first: each above its nodes, within the region, and none over
    another.
    """
    marks = session.current.marks(tree)
    groups = {mark.group: [other for other in marks if other.group == mark.group] for mark in marks}
    font_size(scale)
    found: list[Row] = []
    for group, members in sorted(groups.items())[:MOST]:
        boxes = [box for _, box in overlay.boxes(tree, members, scale)]
        if not boxes:
            continue
        to_region = region.view2d.view_to_region
        left, top = to_region(min(box[0] for box in boxes), max(box[1] for box in boxes), clip=False)
        right, bottom = to_region(max(box[2] for box in boxes), min(box[3] for box in boxes), clip=False)
        if right < 0 or left > region.width or top < 0 or bottom > region.height:
            continue
        text = say("Group {number}: {words}", number=group, words=overlay.counted(members))
        width = blf.dimensions(0, text)[0] + 2 * GAP_PX * scale
        most = region.width - width - len(BUTTONS) * BUTTON_PX * scale
        found.append(
            Row(
                group,
                text,
                max(min(left, most), 0.0),
                max(min(top + (overlay.GAP_PX + GAP_PX) * scale, region.height - ROW_PX * scale), 0.0),
                width,
            )
        )
    return _apart(found, ROW_PX * scale, len(BUTTONS) * BUTTON_PX * scale)


def _apart(found: list[Row], height: float, beside: float) -> list[Row]:
    """The rows, those that would lie over another moved above it."""
    placed: list[Row] = []
    for row in sorted(found, key=lambda row: row.y):
        for other in placed:
            meets = row.x < other.x + other.width + beside and other.x < row.x + row.width + beside
            if meets and row.y < other.y + height:
                row = row._replace(y=other.y + height)
        placed.append(row)
    return placed


def font_size(scale: float) -> None:
    """Sets the size of the letters of rows."""
    blf.size(0, LETTERS * scale)


def _edited() -> tuple[Any, Any, float]:
    """The tree that the editor shows, its region and the interface's scale."""
    space: Any = bpy.context.space_data
    preferences: Any = bpy.context.preferences
    return getattr(space, "edit_tree", None), bpy.context.region, preferences.system.ui_scale


class GEONODE_GGT_groups(bpy.types.GizmoGroup):
    bl_idname = "GEONODE_GGT_groups"
    bl_label = "Groups of Changes"
    bl_space_type = "NODE_EDITOR"
    bl_region_type = "WINDOW"
    # Sizes are pixels, not parts of the size of gizmos.
    bl_options = {"PERSISTENT", "SCALE"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        tree = getattr(context.space_data, "edit_tree", None)
        return tree is not None and not session.current.running and bool(session.current.marks(tree))

    def setup(self, _context: bpy.types.Context) -> None:
        """Makes the buttons of all rows; which of them are shown is decided when they are drawn."""
        for group in range(1, MOST + 1):
            for accept, icon in BUTTONS:
                gizmo: Any = self.gizmos.new("GIZMO_GT_button_2d")
                gizmo.icon, gizmo.draw_options = icon, {"BACKDROP", "OUTLINE"}
                gizmo.color, gizmo.alpha = BACK[:3], BACK[3]
                gizmo.color_highlight, gizmo.alpha_highlight = (0.3, 0.5, 0.8), 1.0
                gizmo.scale_basis = BUTTON_PX / 2
                button = gizmo.target_set_operator("geonode.settle_group")
                button.group, button.accept = group, accept

    def draw_prepare(self, _context: bpy.types.Context) -> None:
        """Puts the buttons behind the words of their rows."""
        tree, region, scale = _edited()
        shown = {row.group: row for row in rows(tree, region, scale)} if tree is not None else {}
        for at, gizmo in enumerate(self.gizmos):
            row = shown.get(at // len(BUTTONS) + 1)
            gizmo.hide = row is None
            if row is not None:
                across = (at % len(BUTTONS) + 0.5) * BUTTON_PX * scale
                gizmo.matrix_basis[0][3] = row.x + row.width + across
                gizmo.matrix_basis[1][3] = row.y + ROW_PX * scale / 2


def _draw() -> None:
    tree, region, scale = _edited()
    if tree is None or region is None or session.current.running or not session.current.marks(tree):
        return
    import gpu
    from gpu_extras.batch import batch_for_shader

    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    gpu.state.blend_set("ALPHA")
    for row in rows(tree, region, scale):
        left, low, right, high = row.x, row.y, row.x + row.width, row.y + ROW_PX * scale
        shader.bind()
        shader.uniform_float("color", BACK)
        corners = [(left, low), (right, low), (right, high), (left, high)]
        batch_for_shader(shader, "TRIS", {"pos": corners}, indices=[(0, 1, 2), (0, 2, 3)]).draw(shader)
        font_size(scale)
        blf.color(0, *WORDS)
        blf.position(0, left + GAP_PX * scale, low + (ROW_PX - LETTERS) * scale / 2 + 2 * scale, 0)
        blf.draw(0, row.text)
    gpu.state.blend_set("NONE")


canvas = Canvas(_draw, "POST_PIXEL")
CLASSES = (GEONODE_GGT_groups,)
