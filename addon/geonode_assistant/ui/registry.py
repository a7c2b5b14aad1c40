# SPDX-License-Identifier: GPL-3.0-or-later
"""Registration: classes and hooks are added in one order and removed in the reverse order. Failures are raised."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any

import bpy

from ..host import deferred_updates
from . import (
    agents,
    gallery,
    group_rows,
    overlay,
    pictures,
    places,
    polling,
    preferences,
    properties,
    translation,
    warming,
)
from .operators import agents as agent_operators
from .operators import approval as approval_operators
from .operators import connection as connection_operators
from .operators import data as data_operators
from .operators import drop as drop_operators
from .operators import exchange as exchange_operators
from .operators import gallery as gallery_operators
from .operators import history as history_operators
from .operators import keep as keep_operators
from .operators import log as log_operators
from .operators import ownership as ownership_operators
from .operators import presets as preset_operators
from .operators import result as result_operators
from .operators import run as run_operators
from .operators import start as start_operators
from .operators import tree as tree_operators
from .panels import sidebar
from .panels import tree as tree_panel

MODULES = (
    properties,
    preferences,
    connection_operators,
    data_operators,
    agent_operators,
    run_operators,
    start_operators,
    gallery_operators,
    preset_operators,
    keep_operators,
    history_operators,
    result_operators,
    log_operators,
    approval_operators,
    ownership_operators,
    tree_operators,
    exchange_operators,
    drop_operators,
    sidebar,
    tree_panel,
    group_rows,
)

_undo: list[Callable[[], object]] = []


def register(command: Callable[[list[str]], int]) -> None:
    """Registers classes, properties, handlers, and ``command`` as ``blender --command geonode``.

    The command gets the arguments that follow and returns the exit status. On failure everything is unregistered.
    """
    if _undo:
        raise RuntimeError("GeoNode AI Assistant is registered already")
    try:
        for module in MODULES:
            for cls in module.CLASSES:
                bpy.utils.register_class(cls)
                _undo.append(partial(bpy.utils.unregister_class, cls))
        _undo.append(deferred_updates.release)
        translation.register()
        _undo.append(translation.unregister)
        properties.attach()
        _undo.append(properties.detach)
        for event, handler in polling.HANDLERS.items():
            handlers = getattr(bpy.app.handlers, event)
            handlers.append(handler)
            _undo.append(partial(handlers.remove, handler))
        for name in start_operators.MENUS:
            menu: Any = getattr(bpy.types, name)
            menu.append(start_operators.draw_menu)
            _undo.append(partial(menu.remove, start_operators.draw_menu))
        pictures.start()
        _undo.append(pictures.stop)
        handle = bpy.utils.register_cli_command("geonode", command)
        _undo.append(lambda: bpy.utils.unregister_cli_command(handle))
        _undo.append(preferences.connection_state.close)
        _undo.append(preferences.forget_key_state)
        _undo.append(polling.stop)
        _undo.append(agents.stop)
        agents.follow_preferences()
        _undo.append(gallery.close)
        warming.start()
        _undo.append(warming.stop)
        _undo.append(places.places.forget)
        if not bpy.app.background:
            for canvas in (overlay.canvas, group_rows.canvas):
                canvas.start()
                _undo.append(canvas.stop)
    except BaseException:
        with contextlib.suppress(Exception):
            unregister()
        raise


def unregister() -> None:
    """Cancels a run, then removes everything; the first failure is raised once the rest is done."""
    first: Exception | None = None
    while _undo:
        try:
            _undo.pop()()
        except Exception as error:
            first = first or error
    if first is not None:
        raise first
