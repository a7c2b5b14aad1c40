# SPDX-License-Identifier: GPL-3.0-or-later
"""Bases of what several operators or panels share. Blender itself gets such a part only together with its own class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    OperatorPart = bpy.types.Operator
    PanelPart = bpy.types.Panel
else:
    OperatorPart = PanelPart = object
