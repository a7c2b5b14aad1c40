# SPDX-License-Identifier: GPL-3.0-or-later
"""Base classes for code that several operators or panels share; only the classes derived from them are registered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    OperatorPart = bpy.types.Operator
    PanelPart = bpy.types.Panel
else:
    OperatorPart = PanelPart = object
