# SPDX-License-Identifier: GPL-3.0-or-later
"""Access to Blender's operators by name."""

from __future__ import annotations

from typing import Any

import bpy


def named(name: str) -> Any:
    """The operator `group.name` of `bpy.ops`. Whether it exists shows only when it is called."""
    group, _, operator = name.partition(".")
    return getattr(getattr(bpy.ops, group), operator)


def can(operator: Any) -> bool:
    """Whether this operator can be called now."""
    return operator.poll()
