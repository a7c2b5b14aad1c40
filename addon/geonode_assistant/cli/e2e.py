# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs end-to-end manifests in this Blender: fresh scene, prompt, checks of report, scene, geometry and undo."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..host import context, evaluate, mainfile, primitives, starter, undo
from ..run import driver, starting
from . import expectations, manifest
from .console import Interrupt
from .expectations import Scene
from .manifest import Check, ManifestReport


def run_manifest(
    path: Path,
    timeout_s: float | None = None,
    interrupt: Interrupt | None = None,
    on_event: Callable[[dict[str, Any]], None] | None = None,
) -> ManifestReport:
    """Runs one manifest; replaces the open file. ``timeout_s`` replaces the manifest's own.

    Raises AssistantError if the manifest cannot be read (``manifest_invalid``, ``file_not_found`` …).
    """
    data = manifest.load(path)
    expect = data["expect"]
    started = time.monotonic()
    build_start(data.get("start"), path.parent)
    undo.push("Start")
    before = document()

    # A manifest needs no conversation, and many runs would displace the artist's own conversations.
    handle = starting.start(
        data["prompt"],
        object=data.get("object"),
        provider=data.get("provider", "offline"),
        replies=data.get("replies"),
        approve="all",
        settings={"keep_conversations": False},
    )
    with interrupt.cancels(handle) if interrupt is not None else contextlib.nullcontext():
        run = driver.drive(handle, on_event, timeout_s or data["timeout_s"]).to_dict()
    after = document()
    measured = [name for name in expectations.measured_objects(expect) if name in after["objects"]]
    evidence: Mapping[str, Any] = evaluate.evidence(measured, [], None) if measured else {"objects": []}
    report = ManifestReport(data["name"], str(path), run=run)
    report.checks = expectations.compare(expect, run, Scene(after, evidence))
    if run["status"] != "done":
        report.checks.append(_unchanged("nothing changed", before, after))
    elif expect.get("undo_restores"):
        undo.step_back()
        report.checks.append(_unchanged("one undo restores", before, document()))
    report.seconds = time.monotonic() - started
    return report


def document() -> dict[str, Any]:
    """Everything that a run may change: all objects with modifiers, all node groups, the names of all data-blocks."""
    seen = context.capture_context()
    trees = [group["name"] for group in seen["node_groups"]]
    return context.without_figures(context.inspect([item["name"] for item in seen["objects"]], trees))


def build_start(start: dict[str, Any] | None, base: Path) -> None:
    """Builds the start scene of a manifest. A path is relative to the manifest."""
    if start is None:
        starter.build_starter_scene()
        return
    if "blend" in start:
        path = (base / start["blend"]).resolve()
        mainfile.check(path)
        mainfile.open_file(path)
        return
    mainfile.open_empty()
    for item in start["objects"]:
        primitives.add(item)
    if "active" in start:
        primitives.activate(start["active"])


def _unchanged(name: str, before: dict[str, Any], after: dict[str, Any]) -> Check:
    changed = [key for key in before if before[key] != after.get(key)]
    return Check(name, not changed, "as before", f"other {', '.join(changed)}" if changed else "as before")
