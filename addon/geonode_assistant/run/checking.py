# SPDX-License-Identifier: GPL-3.0-or-later
"""Validates a plan against the protocol, the nodes of this Blender and the trees of this file; changes nothing."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator
from functools import partial
from typing import Any, TypeVar

from .. import native
from ..host import catalogue, export, mainfile, modifiers, rna
from ..host import context as host_context
from ..host.documents import Bundle, Tree
from ..host.errors import HostError
from ..messages import AssistantError
from .background import Check

Result = TypeVar("Result")


def check(plan: str, object: str | None = None) -> dict[str, Any]:
    """The core's verdict on the text of a plan: ``ok, messages, plan, needs``. ``object`` is the one that a page means
    which names none; by default the active one.
    """
    core = native.core()
    verdict = core.validate_plan(plan)
    if verdict["ok"]:
        objects, trees = _read_for(verdict, object)
        materials = verdict["needs"]["materials"]
        verdict = core.validate_plan(plan, catalogue.path(), host_context.inspect(objects, trees, materials=materials))
    return verdict


def check_in_steps(plan: str, object: str | None = None) -> Generator[str, None, dict[str, Any]]:
    """As ``check``, by default for what ``target`` gives, in steps between which Blender goes on."""
    core = native.core()
    verdict = yield from aside("Checking the plan.", lambda: core.validate_plan(plan))
    if not verdict["ok"]:
        return verdict
    objects, trees = _read_for(verdict, object or _target(verdict))
    read: dict[str, Tree] = {}
    for name in host_context.trees_of(objects, trees):
        if name not in read:
            read |= (yield from read_in_steps(name, False))["trees"]
    yield "Reading the tree."
    materials = verdict["needs"]["materials"]
    document, path = host_context.inspect(objects, trees, read, False, materials), catalogue.path()
    return (yield from aside("Checking the plan.", lambda: core.validate_plan(plan, path, document)))


def _read_for(verdict: dict[str, Any], object: str | None) -> tuple[list[str], list[str]]:
    """The objects and trees that the check of a plan needs to know."""
    needs = verdict["needs"]
    meant = object or host_context.active_object()
    return list(needs["objects"] or filter(None, [meant])), list(needs["trees"])


def target(plan: str) -> str | None:
    """The object that the text of a plan means if it names none: the active one, unless only others run a tree that it
    changes.
    """
    return _target(native.core().validate_plan(plan) if plan else None)


def target_in_steps(plan: str) -> Generator[str, None, str | None]:
    """As ``target``, in steps between which Blender goes on."""
    verdict = yield from aside("Checking the plan.", lambda: native.core().validate_plan(plan))
    return _target(verdict)


def _target(verdict: dict[str, Any] | None) -> str | None:
    active = host_context.active_object()
    trees = verdict["needs"]["trees"] if verdict and verdict["ok"] else []
    users = [name for tree in trees for name in modifiers.objects_with(tree)]
    return active if not users or active in users else users[0]


def aside(stage: str, work: Callable[[], Result]) -> Generator[str, None, Result]:
    """Work that needs no Blender, on a thread of its own."""
    check = Check(work)
    while not check.finished:
        yield stage
    return check.result()


def marks_in_steps() -> Generator[str, None, host_context.Marks]:
    """What the marks of the scene's trees say, in steps between which Blender goes on."""
    marks: host_context.Marks = {}
    began = time.perf_counter()
    for name in host_context.marked_trees():
        # It may be gone by now.
        with contextlib.suppress(AssistantError, HostError):
            read = yield from read_in_steps(name, False)
            if time.perf_counter() >= began + export.STEP_S:
                yield "Looking at the scene."
                began = time.perf_counter()
            tree = mainfile.geometry_tree(name)
            marks[tree.session_uid] = host_context.whose(tree, read["trees"].get(name))
        if time.perf_counter() >= began + export.STEP_S:
            yield "Looking at the scene."
            began = time.perf_counter()
    return marks


def read_in_steps(name: str, whole: bool) -> Generator[str, None, Bundle]:
    """The document of a tree, in steps between which Blender goes on. Raises `unknown_node_group`."""
    steps = export.export_in_steps(partial(mainfile.geometry_tree, name), whole)
    while True:
        with rna.uncollected():
            try:
                next(steps)
            except StopIteration as end:
                found: Bundle = end.value
                return found
        yield "Reading the tree."
