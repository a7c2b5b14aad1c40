# SPDX-License-Identifier: GPL-3.0-or-later
"""Validates a plan against the protocol, the nodes of this Blender and the trees of this file; changes nothing."""

from __future__ import annotations

from typing import Any

from .. import native
from ..host import catalogue
from ..host import context as host_context


def check(plan: str) -> dict[str, Any]:
    """The core's verdict on the text of a plan: ``ok, messages, plan, needs``."""
    core = native.core()
    verdict = core.validate_plan(plan)
    if verdict["ok"]:
        needs = verdict["needs"]
        # A page that names no object means the active one.
        objects = needs["objects"] or filter(None, [host_context.capture_context()["target_object"]])
        document = host_context.inspect(objects, needs["trees"])
        verdict = core.validate_plan(plan, catalogue.path(), document)
    return verdict
