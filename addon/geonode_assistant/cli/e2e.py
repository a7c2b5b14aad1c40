# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs end-to-end manifests in this Blender: fresh scene, prompts, checks of report, scene, geometry and undo."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..host import attributes, context, digest, evaluate, frames, mainfile, primitives, starter, undo
from ..run import driver, starting
from . import expectations, manifest
from .console import Interrupt
from .expectations import Measured, Scene
from .manifest import Check, ManifestReport

READING_S = 60.0
"""How long one look at the whole file may take."""


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
    # What the file holds before each prompt, and after the last one.
    states = [digest.whole(READING_S)]
    runs: list[dict[str, Any]] = []
    seconds = 0.0
    for prompt in [data["prompt"], *data.get("follow_ups", ())]:
        if runs and runs[-1]["status"] != "done":
            break
        sent = time.monotonic()
        runs.append(_run(data, prompt, runs, timeout_s, interrupt, on_event))
        seconds += time.monotonic() - sent
        states.append(digest.whole(READING_S))
    report = ManifestReport(data["name"], str(path), run=runs[-1])
    for number, run in enumerate(runs[:-1], 1):
        report.checks.append(Check(f"status of prompt {number}", run["status"] == "done", "done", run["status"]))
    scene = Scene(document(), _measured(expect), states[0], states[-1], seconds)
    report.checks += expectations.compare(expect, runs, scene)
    if runs[-1]["status"] != "done":
        report.checks.append(_unchanged("nothing changed", states[-2], states[-1]))
    elif expect.get("undo_restores"):
        report.checks += _undone(states)
    report.seconds = time.monotonic() - started
    return report


def _undone(states: list[digest.Digest | None]) -> Iterator[Check]:
    """Takes the prompts back, the last one first: one undo leads to what the file held before it."""
    *before, now = states
    for number, wanted in reversed([*enumerate(before, 1)]):
        undo.step_back()
        found = digest.whole(READING_S)
        if number < len(before) and found is not None and digest.difference(found, now) is None:
            # A script has a step of its own for what the file held before it.
            undo.step_back()
            found = digest.whole(READING_S)
        yield _unchanged("undo restores" if len(before) == 1 else f"undo of prompt {number} restores", wanted, found)
        now = found


def _run(
    data: dict[str, Any],
    prompt: str,
    before: list[dict[str, Any]],
    timeout_s: float | None,
    interrupt: Interrupt | None,
    on_event: Callable[[dict[str, Any]], None] | None,
) -> dict[str, Any]:
    """The report of one prompt of a manifest, in the conversation of those before it."""
    replies = data.get("replies")
    # A manifest of one prompt needs no conversation, and many runs would displace the artist's own conversations.
    handle = starting.start(
        prompt,
        object=data.get("object"),
        provider=data.get("provider", "offline"),
        conversation=before[-1]["conversation"] if before else None,
        replies=None if replies is None else replies[sum(run["attempts"] for run in before) :],
        approve="all",
        settings={"keep_conversations": bool(data.get("follow_ups"))},
    )
    with interrupt.cancels(handle) if interrupt is not None else contextlib.nullcontext():
        return driver.drive(handle, on_event, timeout_s or data["timeout_s"]).to_dict()


def document() -> dict[str, Any]:
    """All objects with their modifiers, and all node groups."""
    seen = context.capture_context()
    trees = [group["name"] for group in seen["node_groups"]]
    return context.without_figures(context.inspect([item["name"] for item in seen["objects"]], trees))


def _measured(expect: dict[str, Any]) -> dict[int | None, Measured]:
    """What the manifest measures, by frame."""
    wanted = expectations.measured_objects(expect)
    found: dict[int | None, Measured] = {None: _measure(wanted.get(None, []))}
    for frame in frames.through(frame for frame in wanted if frame is not None):
        found[frame] = _measure(wanted[frame])
    return found


def _measure(names: list[str]) -> Measured:
    evidence: Mapping[str, Any] = evaluate.evidence(names, [], None) if names else {"objects": []}
    return Measured(evidence, attributes.summaries(names))


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


def _unchanged(name: str, before: digest.Digest | None, after: digest.Digest | None) -> Check:
    if before is None or after is None:
        return Check(name, False, "as before", f"the file cannot be read within {READING_S:.0f} s")
    changed = digest.difference(before, after)
    return Check(name, changed is None, "as before", "as before" if changed is None else f"other {changed}")
