# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn over the Node Editor: begun and ended in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import bpy

if TYPE_CHECKING:
    from typing import Literal


class Canvas:
    """One thing that is drawn over every Node Editor, from ``start`` to ``stop``."""

    def __init__(self, draw: Callable[[], None], when: Literal["POST_VIEW", "POST_PIXEL"]) -> None:
        """``when``: after the nodes, in coordinates of the tree (``POST_VIEW``) or of the region (``POST_PIXEL``)."""
        self._draw, self._when = draw, when
        self._handle: Any = None

    def start(self) -> None:
        """Draws it from now on."""
        self._handle = bpy.types.SpaceNodeEditor.draw_handler_add(self._draw, (), "WINDOW", self._when)

    def stop(self) -> None:
        """Draws it no longer."""
        if self._handle is not None:
            bpy.types.SpaceNodeEditor.draw_handler_remove(self._handle, "WINDOW")
            self._handle = None
