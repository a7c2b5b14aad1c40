# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs end-to-end manifests in this Blender: fresh scene, prompts, checks of report, scene, geometry and undo."""

from __future__ import annotations

import contextlib
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..host import (
    attributes,
    context,
    digest,
    drawing,
    evaluate,
    frames,
    mainfile,
    modifiers,
    picture,
    primitives,
    starter,
    undo,
)
from ..messages import AssistantError, failure
from ..run import driver, measure, starting
from . import expectations, manifest, pictures
from .console import Console, Interrupt
from .expectations import Measured, Scene
from .manifest import Check, ManifestReport

READING_S = 60.0
"""How long one look at the whole file may take."""


PICTURE_SIZE = (640, 480)


@dataclass(frozen=True)
class Planner:
    """Who plans, instead of the provider that a manifest names; manifests with recorded replies keep to these."""

    provider: str | None = None
    model: str | None = None
    base_url: str | None = None
    key_variable: str | None = None


@dataclass
class Circumstances:
    """What holds for all prompts and measurements of one manifest."""

    timeout_s: float | None = None
    """Seconds for everything, instead of the manifest's own for each prompt."""
    interrupt: Interrupt | None = None
    on_event: Callable[[dict[str, Any]], None] | None = None
    planner: Planner = Planner()
    picture: Path | None = None
    """Where a picture of the result is put."""
    keep_pictures: bool = False
    """Whether pictures that a manifest compares with, and that are not there, are written."""

    def __post_init__(self) -> None:
        self._started = time.monotonic()

    def left(self, own_s: float) -> float:
        """Seconds that the next prompt may take."""
        return own_s if self.timeout_s is None else max(0.0, self._started + self.timeout_s - time.monotonic())

    def check(self) -> None:
        """Raises ``run_timeout`` when the time is over, ``cancelled`` after Ctrl+C."""
        if self.interrupt is not None:
            self.interrupt.check("A report that was asked for has what was found before.")
        if self.timeout_s is not None and time.monotonic() > self._started + self.timeout_s:
            raise AssistantError("run_timeout", f"The manifest took longer than {self.timeout_s:g} s and was stopped.")


class Progress:
    """Tells another process what has been done: a line of JSON for each beginning and each end, as it happens."""

    def __init__(self, file: Path | None) -> None:
        self._file = file

    def write(self, **event: Any) -> None:
        """Appends one event."""
        if self._file is not None:
            with self._file.open("a", encoding="utf-8", errors="surrogatepass") as stream:
                stream.write(json.dumps(event) + "\n")


def run_each(
    paths: list[Path],
    circumstances: Callable[[int], Circumstances],
    console: Console,
    progress: Progress,
) -> Iterator[ManifestReport]:
    """Runs manifests one after the other. One that cannot be read, or fails in an unforeseen way, is one that failed;
    its report has everything that was found before.

    Raises AssistantError ``cancelled`` after Ctrl+C.
    """
    for number, path in enumerate(paths):
        around = circumstances(number)
        around.check()
        progress.write(started=number)
        started = time.monotonic()
        report = ManifestReport(path.stem, str(path))
        try:
            _run_file(path, around, report)
        except Exception as error:
            known = AssistantError.of(error)
            if known.code == "cancelled":
                raise
            console.log_traceback()
            report.error = {**failure(error), "hint": known.hint}
            report.seconds = time.monotonic() - started
        progress.write(finished=number, report=report.to_dict())
        yield report


def _run_file(path: Path, around: Circumstances, report: ManifestReport) -> None:
    """Runs one manifest, and puts what is found into the report as it is found."""
    data = manifest.load(path)
    report.name, report.prompts = data["name"], [data["prompt"], *data.get("follow_ups", ())]
    _run_manifest(data, path, around, report)


def run_manifest(
    path: Path,
    timeout_s: float | None = None,
    interrupt: Interrupt | None = None,
    on_event: Callable[[dict[str, Any]], None] | None = None,
) -> ManifestReport:
    """Runs one manifest; replaces the open file. ``timeout_s`` replaces the manifest's own, and holds for everything.

    Raises AssistantError if the manifest cannot be read (``manifest_invalid``, ``file_not_found`` …), or if measuring
    takes longer than it may (``run_timeout``).
    """
    report = ManifestReport(path.stem, str(path))
    _run_file(path, Circumstances(timeout_s, interrupt, on_event), report)
    return report


def _run_manifest(data: dict[str, Any], path: Path, around: Circumstances, report: ManifestReport) -> None:
    expect = data["expect"]
    with _timed(report, "start"):
        build_start(data.get("start"), path.parent)
        undo.push("Start")
    # What the file holds before each prompt, and after the last one.
    states = [_look(report)]
    placed = [mainfile.objects_placed()]
    runs: list[dict[str, Any]] = []
    # Conversations of manifests are no conversations of the artist's.
    with tempfile.TemporaryDirectory(prefix="geonode-e2e-") as folder:
        for prompt in report.prompts:
            if runs and runs[-1]["status"] != "done":
                break
            around.check()
            with _timed(report, "prompts"):
                runs.append(_run(data, prompt, runs, around, Path(folder)))
            report.run = runs[-1]
            states.append(_look(report))
    placed.append(mainfile.objects_placed())
    with _timed(report, "measuring"):
        for number, run in enumerate(runs[:-1], 1):
            report.checks.append(Check(f"status of prompt {number}", run["status"] == "done", "done", run["status"]))
        measured, took = _measured(expect, around), report.times["prompts"]
        scene = Scene(document(), measured, states[0], states[-1], took, (placed[0], placed[1]))
        report.checks += expectations.compare(expect, runs, scene)
        report.checks += pictures.compare(expect, path.parent, around.keep_pictures)
        report.trees = _drawings(report.run)
    if around.picture is not None and report.run["status"] == "done":
        around.check()
        with _timed(report, "picture"):
            report.picture = take_picture(_subject(data, report.run), around.picture)
    with _timed(report, "undo"):
        if runs[-1]["status"] != "done":
            report.checks.append(_unchanged("nothing changed", states[-2], states[-1]))
        elif expect.get("undo_restores"):
            report.checks += _undone(states)
    around.check()


@contextlib.contextmanager
def _timed(report: ManifestReport, part: str) -> Iterator[None]:
    """Adds the time of a block to this part of the report, and to its whole time."""
    started = time.monotonic()
    try:
        yield
    finally:
        took = time.monotonic() - started
        report.times[part] = report.times.get(part, 0.0) + took
        report.seconds += took


def _look(report: ManifestReport) -> digest.Digest | None:
    with _timed(report, "measuring"):
        return digest.whole(READING_S)


def take_picture(name: str | None, file: Path) -> str:
    """Renders the object; the name of the file, or nothing if it cannot be rendered, which fails no manifest."""
    with contextlib.suppress(OSError, AssistantError):
        if name is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            picture.render(name, file, PICTURE_SIZE)
            return file.name
    return ""


def _subject(data: dict[str, Any], run: dict[str, Any]) -> str | None:
    """The object that a picture of the result shows: what the run changed, else what the manifest is about."""
    made = [item["name"] for item in run.get("measured", ())]
    measured = [item["object"] for item in data["expect"].get("geometry", ())]
    return next((name for name in measured if name in made), None) or next(
        iter([*made, *measured]), mainfile.active_object()
    )


def _drawings(run: dict[str, Any]) -> list[dict[str, Any]]:
    """The trees on what the run made, each once."""
    names = [item["name"] for item in run.get("measured", ())]
    trees = {tree.name: tree for name in names for tree in modifiers.trees_of(name)}
    return [shown for tree in trees.values() if (shown := drawing.drawing(tree)) is not None]


def _undone(states: list[digest.Digest | None]) -> Iterator[Check]:
    """Takes the prompts back, the last one first: one undo leads to what the file held before it."""
    *before, now = states
    for number, wanted in reversed([*enumerate(before, 1)]):
        name = "undo restores" if len(before) == 1 else f"undo of prompt {number} restores"
        if wanted is not None and now is not None and digest.difference(wanted, now) is None:
            # A prompt that changed nothing made no step.
            yield _unchanged(name, wanted, now)
            continue
        undo.step_back()
        found = digest.whole(READING_S)
        if number < len(before) and found is not None and digest.difference(found, now) is None:
            # A script has a step of its own for what the file held before it.
            undo.step_back()
            found = digest.whole(READING_S)
        yield _unchanged(name, wanted, found)
        now = found


def _run(
    data: dict[str, Any], prompt: str, before: list[dict[str, Any]], around: Circumstances, folder: Path
) -> dict[str, Any]:
    """The report of one prompt of a manifest, in the conversation of those before it, with what it made."""
    replies, planner = data.get("replies"), around.planner
    if replies is not None:
        planner = Planner("replay")
    handle = starting.start(
        prompt,
        object=data.get("object"),
        provider=planner.provider or data.get("provider", "offline"),
        model=planner.model,
        base_url=planner.base_url,
        key_variable=planner.key_variable,
        conversation=before[-1]["conversation"] if before else None,
        replies=None if replies is None else replies[sum(run["attempts"] for run in before) :],
        approve="all",
        folder=folder,
        settings={"keep_conversations": bool(data.get("follow_ups"))},
    )
    interrupt = around.interrupt
    with interrupt.cancels(handle) if interrupt is not None else contextlib.nullcontext():
        report = driver.drive(handle, around.on_event, around.left(data["timeout_s"])).to_dict()
    evidence: Mapping[str, Any] = handle.evidence or {"objects": []}
    lines = measure.describe(evidence)
    objects = zip(evidence.get("objects", ()), lines, strict=True)
    return {**report, "measured": [{"name": item["name"], "line": line} for item, line in objects]}


def document() -> dict[str, Any]:
    """All objects with their modifiers, and all node groups."""
    seen = context.capture_context()
    trees = [group["name"] for group in seen["node_groups"]]
    return context.without_figures(context.inspect([item["name"] for item in seen["objects"]], trees))


def _measured(expect: dict[str, Any], around: Circumstances) -> dict[int | None, Measured]:
    """What the manifest measures, by frame."""
    wanted = expectations.measured_objects(expect)
    found: dict[int | None, Measured] = {None: _measure(wanted.get(None, []))}
    for frame in frames.through((frame for frame in wanted if frame is not None), around.check):
        found[frame] = _measure(wanted[frame])
    return found


def _measure(names: list[str]) -> Measured:
    names = [name for name in names if modifiers.has_geometry(name)]
    evidence: Mapping[str, Any] = evaluate.evidence(names, [], None) if names else {"objects": []}
    return Measured(evidence, attributes.summaries(names))


def build_start(start: dict[str, Any] | None, base: Path) -> None:
    """Builds the start scene of a manifest. A path leads below the folder of the manifest, ``base``."""
    if start is None:
        starter.build_starter_scene()
        return
    if "blend" in start:
        path = manifest.beside(start["blend"], base)
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
