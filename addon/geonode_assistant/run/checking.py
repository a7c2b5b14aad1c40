# SPDX-License-Identifier: GPL-3.0-or-later
"""Validates a plan against the protocol, the nodes of this Blender and the trees of this file; changes nothing."""

from __future__ import annotations

from typing import Any

from .. import native
from ..host import catalogue, modifiers
from ..host import context as host_context


def check(plan: str, object: str | None = None) -> dict[str, Any]:
    """The core's verdict on the text of a plan: ``ok, messages, plan, needs``. ``object`` is the one that a page means
    which names none; by default the active one.
    """
    core = native.core()
    verdict = core.validate_plan(plan)
    if verdict["ok"]:
        needs = verdict["needs"]
        meant = object or host_context.capture_context()["target_object"]
        document = host_context.inspect(needs["objects"] or filter(None, [meant]), needs["trees"])
        verdict = core.validate_plan(plan, catalogue.path(), document)
    return verdict


def target(plan: str) -> str | None:
    """The object that the text of a plan means if it names none: the active one, unless only others run a tree that it
    changes.
    """
    active = host_context.capture_context()["target_object"]
    verdict = native.core().validate_plan(plan) if plan else None
    trees = verdict["needs"]["trees"] if verdict and verdict["ok"] else []
    users = [name for tree in trees for name in modifiers.objects_with(tree)]
    return active if not users or active in users else users[0]
