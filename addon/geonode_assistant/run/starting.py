# SPDX-License-Identifier: GPL-3.0-or-later
"""Starting a run: builds the request for the core and attaches the run to the session."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import bpy

from .. import native
from ..host import catalogue, folders
from ..messages import AssistantError
from . import choices, online, preset_files, session
from .bridge import BlenderHost
from .driver import Approve, Core, RunHandle, drive
from .dry_run import start as dry_run
from .report import RunReport

if TYPE_CHECKING:
    # Loaded with the first script: registration is restricted, and short.
    from ..scripting import ScriptResult


class Options(TypedDict, total=False):
    """What ``request_of`` takes by name; omitted ones come from the add-on's preferences."""

    base_url: str | None
    """Address of the server, version segment included."""
    key_variable: str | None
    """The environment variable that holds the provider's key."""
    modifier: str | None
    """Modifier of the object that the run is about, by its name; otherwise the active one."""
    settings: Mapping[str, Any] | None
    """Settings of this run (``geonode_core.settings()`` lists them); wrong ones end it with ``setting_invalid``."""
    pictures: Sequence[str | Path]
    """At most four files (PNG, JPEG, WebP) that show the model what is meant."""


def start(
    prompt: str,
    object: str | None = None,
    provider: str | None = None,
    model: str | None = None,
    conversation: str | None = None,
    *,
    approve: Approve | str = None,
    replies: Sequence[Any] | None = None,
    folder: Path | None = None,
    **options: Unpack[Options],
) -> RunHandle:
    """Starts a run for a prompt and returns at once; ``poll`` the handle until it has ``finished``.

    Omitted arguments come from the add-on's preferences; without those, the offline planner is used. ``approve="ask"``
    puts requests into ``handle.pending``. ``replies`` are the recorded answers of the provider ``replay``.
    ``conversation``, the field of this name of an earlier report, lets a model see earlier prompts and results. It is
    kept in ``folder``, by default the add-on's own.
    """
    request = request_of(prompt, object, provider, model, approve, **options)
    request["folder"] = str(folder or folders.own_folder())
    request["presets"] = preset_files.read()
    if conversation is not None:
        request["conversation"] = conversation
    if replies is not None:
        request["replies"] = list(replies)
    return launch(request, approve, prompt)


def run(
    prompt: str,
    object: str | None = None,
    provider: str | None = None,
    model: str | None = None,
    conversation: str | None = None,
    *,
    approve: Approve = None,
    on_event: Callable[[dict[str, Any]], None] | None = None,
    timeout_s: float | None = None,
    **options: Unpack[Options],
) -> RunReport:
    """Carries out a prompt and returns when it is done: one undo step, or nothing changed.

    For scripts in the background; in a window it raises ``would_block`` (use ``start``). ``approve``: None refuses
    whatever needs approval, ``"all"`` approves everything except trusted scripts, a callable decides
    (``driver.Approve``). ``timeout_s`` cancels after that many seconds; a request to a model may take as long,
    unless a setting or a preference says otherwise (``total_timeout_s``, ``local_timeout_s``). The other arguments are
    those of ``start``.
    """
    refuse_in_window("run")
    if timeout_s is not None:
        options["settings"] = patience(timeout_s) | dict(options.get("settings") or {})
    handle = start(prompt, object, provider, model, conversation, approve=approve, **options)
    return drive(handle, on_event, timeout_s)


def patience(timeout_s: float) -> dict[str, float]:
    """The settings by which a request to a model may take as long as a run, those without a preference of the artist's
    that would end it sooner."""
    chosen = choices.settings()
    known = {one["name"]: one for one in native.core().settings() if one["name"] not in chosen}
    bounds = [known[name] for name in ("total_timeout_s", "local_timeout_s") if name in known]
    return {one["name"]: min(timeout_s, one["max"]) for one in bounds if one["default"] < timeout_s}


def resume(
    saved: dict[str, Any] | str,
    *,
    base_url: str | None = None,
    key_variable: str | None = None,
    approve: Approve | str = None,
) -> RunHandle:
    """Resumes a run that ``RunHandle.save`` returned in another process, on the file that is open here.

    ``saved`` is its result or the JSON text of it. The key is never saved: it is read again from ``key_variable`` or
    the provider's own variable. The preferences here decide which scripts may run, never the saved run. An earlier
    approval is valid only if request and scene are unchanged, and never for a script. Raises ``saved_run_invalid`` if
    ``saved`` is damaged or of another version; then nothing is changed.
    """
    request = _saved_request(saved)
    provider = request.get("provider")
    address = base_url or request.get("base_url")
    chosen = choices.choice(provider, request.get("model"), address, key_variable)
    online.check(chosen.provider, chosen.base_url)
    overrides = {
        "base_url": chosen.base_url,
        "api_key": chosen.api_key,
        "catalogue": catalogue.path(),
        "approve": "ask" if callable(approve) else approve or "none",
        "python": choices.settings().get("python"),
        "folder": str(folders.own_folder()),
        "presets": preset_files.read(),
    }
    overrides = {key: value for key, value in overrides.items() if value is not None}
    return _claim(lambda: native.core().Run.resume(saved, overrides), approve, request.get("prompt", ""))


def _saved_request(saved: dict[str, Any] | str) -> dict[str, Any]:
    try:
        request = (json.loads(saved) if isinstance(saved, str) else saved)["request"]
        if all(isinstance(request.get(key, ""), str) for key in ("prompt", "provider", "model", "base_url")):
            return request
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        pass
    raise AssistantError("saved_run_invalid", "This is not a saved run.", "Save the run again, or start it again.")


def launch(
    request: dict[str, Any], approve: Approve | str, prompt: str = "", results: list[ScriptResult] | None = None
) -> RunHandle:
    """Starts the run of a complete request (``request_of``). Raises ``run_in_progress`` while another is under way.
    ``results`` receives those of its scripts.
    """
    return _claim(lambda: native.core().Run(request), approve, prompt, results, "plan" not in request)


def _claim(
    core: Callable[[], Core],
    approve: Approve | str,
    prompt: str,
    results: list[ScriptResult] | None = None,
    is_prompt: bool = True,
) -> RunHandle:
    if threading.current_thread() is not threading.main_thread():
        raise AssistantError("wrong_thread", "Blender's data can only be used from its main thread.")

    def make() -> RunHandle:
        return RunHandle(core(), BlenderHost(dry_run.start, results=results), approve if callable(approve) else None)

    return session.current.claim(make, prompt, is_prompt)


_PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
_PICTURE_BYTES = 6_000_000


def attached(path: str | Path) -> dict[str, str]:
    """A reference picture for a prompt. Raises ``file_not_found``, ``file_too_large`` or ``invalid_value``."""
    file = Path(path)
    kind = _PICTURES.get(file.suffix.lower())
    if kind is None:
        raise AssistantError("invalid_value", f"{file.name} is not a picture of type {', '.join(_PICTURES)}.")
    try:
        data = file.read_bytes()
    except OSError as error:
        raise AssistantError("file_not_found", f"{file} cannot be read: {error.strerror}.") from None
    if len(data) > _PICTURE_BYTES:
        raise AssistantError("file_too_large", f"{file.name} is larger than 6 MB.")
    return {"media_type": kind, "data": base64.b64encode(data).decode()}


def request_of(
    prompt: str,
    object: str | None = None,
    provider: str | None = None,
    model: str | None = None,
    approve: Approve | str = None,
    *,
    base_url: str | None = None,
    key_variable: str | None = None,
    modifier: str | None = None,
    settings: Mapping[str, Any] | None = None,
    pictures: Sequence[str | Path] = (),
) -> dict[str, Any]:
    """The request for ``geonode_core.Run``; the core has defaults for absent keys."""
    chosen = choices.choice(provider, model, base_url, key_variable)
    online.check(chosen.provider, chosen.base_url)
    request = {
        "prompt": prompt,
        "object": object,
        "modifier": modifier,
        "provider": chosen.provider,
        "model": chosen.model,
        "base_url": chosen.base_url,
        "api_key": chosen.api_key,
        "catalogue": catalogue.path(),
        "approve": "ask" if callable(approve) else approve or "none",
        "settings": {**choices.settings(), **(settings or {})},
        "egress": choices.allowed_servers(),
        "pictures": [attached(path) for path in pictures] or None,
    }
    return {key: value for key, value in request.items() if value is not None}


def refuse_in_window(call: str) -> None:
    """Raises ``would_block`` where a call that waits for its result would freeze Blender's window."""
    if not bpy.app.background:
        raise AssistantError(
            "would_block",
            f"{call}() waits for its result and would freeze Blender's window.",
            "Use start() and poll its handle, or run the script with --background.",
        )
