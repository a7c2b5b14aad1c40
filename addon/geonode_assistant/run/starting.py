# SPDX-License-Identifier: GPL-3.0-or-later
"""How a run begins: the request that the core is given, and the one session that it belongs to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import native
from ..host import catalogue, folders
from ..messages import AssistantError
from . import choices, online, session
from .bridge import BlenderHost
from .driver import Approve, Core, RunHandle
from .dry_run import start as dry_run


def start(
    prompt: str,
    object: str | None = None,
    provider: str | None = None,
    model: str | None = None,
    conversation: str | None = None,
    *,
    base_url: str | None = None,
    key_variable: str | None = None,
    approve: Approve | str = None,
    replies: Sequence[Any] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> RunHandle:
    """Starts a wish and returns at once; ``poll`` the handle until it has ``finished``.

    What is left out comes from the add-on's preferences, else the offline planner answers. ``approve="ask"`` puts
    requests into ``handle.pending``. ``replies`` are the recorded answers of the provider ``replay``. ``settings`` are
    those of one run by name (``geonode_core.settings()`` lists them); wrong ones end it with ``setting_invalid``.
    ``conversation``, from an earlier report's field of this name, lets a model know what was wished and made before.
    """
    request = request_of(prompt, object, provider, model, base_url, approve, key_variable, settings)
    request["folder"] = str(folders.own_folder())
    if conversation is not None:
        request["conversation"] = conversation
    if replies is not None:
        request["replies"] = list(replies)
    return launch(request, approve, prompt)


def resume(
    saved: dict[str, Any] | str,
    *,
    base_url: str | None = None,
    key_variable: str | None = None,
    approve: Approve | str = None,
) -> RunHandle:
    """Takes up a run that ``RunHandle.save`` gave in another process, in the file that is open here.

    ``saved`` is what it gave or its JSON text. The key is never saved: it comes from ``key_variable`` or the provider's
    own variable again. Which scripts may run is decided by the preferences here, never by the file. An approval that
    was given counts only when question and scene are exactly as they were, and never for a script.
    ``saved_run_invalid`` for what is damaged or was saved by another version; nothing happens then.
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
    raise AssistantError("saved_run_invalid", "This is no saved run.", "Save the run again, or start it anew.")


def launch(request: dict[str, Any], approve: Approve | str, prompt: str = "") -> RunHandle:
    """Begins the run of a whole request (``request_of``); ``run_in_progress`` while another one is under way."""
    return _claim(lambda: native.core().Run(request), approve, prompt)


def _claim(core: Callable[[], Core], approve: Approve | str, prompt: str) -> RunHandle:
    if threading.current_thread() is not threading.main_thread():
        raise AssistantError("wrong_thread", "Blender's data may be used from its main thread only.")

    def make() -> RunHandle:
        return RunHandle(core(), BlenderHost(dry_run.start), approve if callable(approve) else None)

    return session.current.claim(make, prompt)


def request_of(
    prompt: str,
    object: str | None,
    provider: str | None,
    model: str | None,
    base_url: str | None,
    approve: Approve | str,
    key_variable: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The request of ``geonode_core.Run``; absent keys take the core's defaults."""
    chosen = choices.choice(provider, model, base_url, key_variable)
    online.check(chosen.provider, chosen.base_url)
    request = {
        "prompt": prompt,
        "object": object,
        "provider": chosen.provider,
        "model": chosen.model,
        "base_url": chosen.base_url,
        "api_key": chosen.api_key,
        "catalogue": catalogue.path(),
        "approve": "ask" if callable(approve) else approve or "none",
        "settings": {**choices.settings(), **(settings or {})},
        "egress": choices.allowed_servers(),
    }
    return {key: value for key, value in request.items() if value is not None}
