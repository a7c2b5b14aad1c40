# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures for other programs, in steps between which Blender goes on: another Blender renders a copy of the file. Only
the artist's own view is drawn by this one, as small as it is sent.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Mapping
from typing import Any

import bpy

from ..host import current, model_tools, viewport
from ..messages import AssistantError
from ..run.background import Check
from ..run.dry_run import start
from ..run.dry_run.process import PICTURE
from ..run.dry_run.trial import Trial
from ..run.tools import Steps

SIZE = (512, 384)
_SECONDS, _MEGABYTES = 50, 4096
# Saving the copy needs the main thread, and takes the longer the larger the file: no more than this part of its time.
SHARE = 0.05
_STAGE = "Rendering in the background."

at_work = False
"""Whether a picture is rendered; the next one waits."""
not_before = 0.0
"""When the next copy may be saved (``time.monotonic``)."""


def take(arguments: Mapping[str, Any]) -> Steps:
    """A picture of an object as evaluated, of the artist's view, or of the scene through its camera."""
    view = arguments.get("view", "perspective")
    if view == "viewport":
        return (yield from _of_viewport())
    if view == "render":
        scene = current.scene()
        if scene.camera is None:
            raise AssistantError("no_view", "The scene has no camera.", "Ask for the `viewport` or an object.")
        return (yield from _rendered({"scene": scene.name, "size": SIZE}))
    shown = model_tools.geometric_object(arguments, model_tools.active_target())
    return (yield from _rendered({"object": shown.name, "view": view, "size": SIZE}))


def _of_viewport() -> Steps:
    shot = viewport.take(SIZE[0])
    if shot is None:
        why = "Blender runs without a window." if bpy.app.background else "Blender shows no 3D View."
        raise AssistantError("no_view", why, "Ask for a picture of an object, or for a `render`.")
    file = Check(lambda: viewport.as_png(shot))
    while not file.finished:
        yield _STAGE
    return _picture(file.result(), shot.width, shot.height)


def _rendered(wanted: dict[str, Any]) -> Steps:
    global at_work, not_before
    while at_work or time.monotonic() < not_before:
        yield "Waiting for the picture before."
    at_work = True
    try:
        began = time.monotonic()
        trial = start.take_picture(wanted, _SECONDS, _MEGABYTES)
        not_before = time.monotonic() + (time.monotonic() - began) / SHARE
        try:
            yield _STAGE
            while (end := trial.poll()) is None:
                yield _STAGE
            return _finished(wanted, trial, end)
        finally:
            trial.stop()
    finally:
        at_work = False


def _finished(wanted: dict[str, Any], trial: Trial, end: Mapping[str, Any]) -> dict[str, Any]:
    if end.get("code") == "dry_run_timeout":
        raise AssistantError("tool_timeout", f"The picture was not rendered within {_SECONDS} s.")
    if not end["ok"]:
        raise AssistantError("execution_failed", f"The picture could not be rendered. {end['text']}")
    size = {"width": SIZE[0], "height": SIZE[1], **end["picture"]}
    about = {"object": wanted["object"]} if "object" in wanted else {}
    return {**about, **_picture(trial.made(PICTURE), size["width"], size["height"])}


def _picture(file: bytes, width: int, height: int) -> dict[str, Any]:
    image = {"media_type": "image/png", "data": base64.b64encode(file).decode("ascii")}
    return {"image": image, "width": width, "height": height}
