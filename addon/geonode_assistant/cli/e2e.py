# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs end-to-end manifests in this Blender: fresh scene, prompt, checks of report, scene, geometry and undo."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy

from .. import api
from ..host import blendfile
from ..messages import AssistantError
from ..run import driver
from ..run.bridge import BlenderHost
from . import manifest
from .console import Interrupt
from .manifest import Check, ManifestReport, Scene

# Operator of each primitive, and the arguments by which `size` is its extent in metres.
_ADD: dict[str, tuple[str, Callable[[float], dict[str, float]]]] = {
    "plane": ("mesh.primitive_plane_add", lambda size: {"size": size}),
    "cube": ("mesh.primitive_cube_add", lambda size: {"size": size}),
    "grid": ("mesh.primitive_grid_add", lambda size: {"size": size}),
    "monkey": ("mesh.primitive_monkey_add", lambda size: {"size": size}),
    "uv_sphere": ("mesh.primitive_uv_sphere_add", lambda size: {"radius": size / 2}),
    "ico_sphere": ("mesh.primitive_ico_sphere_add", lambda size: {"radius": size / 2}),
    "cylinder": ("mesh.primitive_cylinder_add", lambda size: {"radius": size / 2, "depth": size}),
    "cone": ("mesh.primitive_cone_add", lambda size: {"radius1": size / 2, "depth": size}),
    "bezier_curve": ("curve.primitive_bezier_curve_add", lambda size: {"radius": size / 2}),
    "circle_curve": ("curve.primitive_bezier_circle_add", lambda size: {"radius": size / 2}),
}
# Blender's own default: every primitive is two metres wide.
_DEFAULT_SIZE = 2.0


def run_manifest(
    path: Path,
    timeout_s: float | None = None,
    interrupt: Interrupt | None = None,
    on_event: Callable[[dict[str, Any]], None] | None = None,
) -> ManifestReport:
    """Runs one manifest; replaces the open file. ``timeout_s`` overrides the manifest's own.

    Raises AssistantError for a manifest that cannot be read (``manifest_invalid``, ``file_not_found`` …).
    """
    data = manifest.load(path)
    expect = data["expect"]
    started = time.monotonic()
    build_start(data.get("start"), path.parent)
    bpy.ops.ed.undo_push(message="Start")
    before = document()

    # A manifest stands by itself; thousands of them shall not push an artist's conversations out.
    handle = api.start(
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
    measured = [name for name in manifest.measured_objects(expect) if name in after["objects"]]
    evidence = BlenderHost().verify(measured, []) if measured else {"objects": []}
    report = ManifestReport(data["name"], str(path), run=run)
    report.checks = manifest.compare(expect, run, Scene(after, evidence))
    if run["status"] != "done":
        report.checks.append(_unchanged("nothing changed", before, after))
    elif expect.get("undo_restores"):
        bpy.ops.ed.undo()
        report.checks.append(_unchanged("one undo restores", before, document()))
    report.seconds = time.monotonic() - started
    return report


def document() -> dict[str, Any]:
    """Everything a run may touch: all objects with their modifiers, all node groups, the names of all data-blocks."""
    host = BlenderHost()
    context = host.capture_context(None, None)
    trees = [group["name"] for group in context["node_groups"]]
    found = host.inspect([item["name"] for item in context["objects"]], trees)
    # Figures for estimates: bounds follow evaluation, they are no state of the file.
    del found["scene"]
    return found


def build_start(start: dict[str, Any] | None, base: Path) -> None:
    """The scene in which the prompt is spoken. A path is relative to the manifest."""
    if start is None:
        from ..host import starter

        starter.build_starter_scene()
        return
    if "blend" in start:
        path = (base / start["blend"]).resolve()
        blendfile.check(path, bpy.app.version[:2])
        bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False, use_scripts=False)
        return
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    for item in start["objects"]:
        add_primitive(item)
    if "active" in start:
        _activate(start["active"])


def add_primitive(item: dict[str, Any]) -> bpy.types.Object:
    """Adds one object; it becomes the active one."""
    name, arguments = _ADD[item["primitive"]]
    group, operator = name.split(".")
    add = getattr(getattr(bpy.ops, group), operator)
    add(
        **arguments(item.get("size", _DEFAULT_SIZE)),
        location=item.get("location", (0, 0, 0)),
        rotation=item.get("rotation", (0, 0, 0)),
    )
    made = bpy.context.view_layer.objects.active
    made.name = made.data.name = item["name"]
    made.scale = item.get("scale", (1, 1, 1))
    return made


def _activate(name: str) -> None:
    objects = bpy.context.view_layer.objects
    if name not in objects:
        raise AssistantError("manifest_invalid", f"/start/active: there is no object {name!r}")
    for other in objects:
        other.select_set(other.name == name)
    objects.active = objects[name]


def _unchanged(name: str, before: dict[str, Any], after: dict[str, Any]) -> Check:
    changed = [key for key in before if before[key] != after.get(key)]
    return Check(name, not changed, "as before", f"other {', '.join(changed)}" if changed else "as before")
