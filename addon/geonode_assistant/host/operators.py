# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's operators by name, for those who may call some of them."""

from __future__ import annotations

from typing import Any

import bpy


def named(name: str) -> Any:
    """The operator `group.name`, as `bpy.ops` has it. Blender says only when it is called whether there is one."""
    group, _, operator = name.partition(".")
    return getattr(getattr(bpy.ops, group), operator)


def can(operator: Any) -> bool:
    """Whether Blender would carry out this operator now."""
    return operator.poll()
