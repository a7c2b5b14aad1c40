# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside the Blender under test: carries out requests of the tests from a socket, one per turn of the main loop.

A request is one line of JSON, ``{"events": [[...], ...]}`` (one group of simulated events per turn) or
``{"eval": expression}`` or ``{"exec": statements}``; the reply is ``{"value": ...}`` or ``{"error": traceback}``.
"""

from __future__ import annotations

import json
import os
import socket
import traceback
from collections import deque
from typing import Any

import bpy

INTERVAL_S = 0.01
ADDON = "bl_ext.user_default.geonode_assistant"

_events: deque[list[dict[str, Any]]] = deque()
_unread = b""
_settling = 0
_connection = socket.socket(socket.AF_UNIX)


def area(kind: str) -> bpy.types.Area:
    """The first area of that interface type."""
    return next(a for a in bpy.context.window_manager.windows[0].screen.areas if a.ui_type == kind)


def region(kind: str, of: str = "UI") -> bpy.types.Region:
    """Its region of that type."""
    return next(r for r in area(kind).regions if r.type == of)


def box(kind: str, of: str = "UI") -> list[int]:
    """``[left, bottom, width, height]`` of a region in pixels of the window, from its lower left corner."""
    place = region(kind, of)
    return [place.x, place.y, place.width, place.height]


def under_pointer(kind: str) -> str:
    """The property or operator of the widget under the pointer, as Python text; empty if there is none."""
    manager = bpy.context.window_manager
    manager.clipboard = ""
    with bpy.context.temp_override(window=manager.windows[0], area=area(kind), region=region(kind)):
        for copy in (bpy.ops.ui.copy_python_command_button, bpy.ops.ui.copy_data_path_button):
            if copy.poll() and copy() == {"FINISHED"}:
                return manager.clipboard
    return ""


def open_tab(kind: str, category: str = "GeoNode") -> bool:
    """Shows the sidebar with that tab active; returns False until Blender has drawn it."""
    space = area(kind).spaces.active
    if not space.show_region_ui:
        space.show_region_ui = True
        return False
    sidebar = region(kind)
    sidebar.tag_redraw()
    try:
        sidebar.active_panel_category = category
    except (AttributeError, TypeError):
        return False
    return sidebar.active_panel_category == category and sidebar.width > 60


def exported() -> dict[str, Any]:
    """Everything that a run may change: each tree's full description, and the modifiers of each object."""
    api = namespace()["api"]
    trees = {g.name: api.export_tree(g) for g in bpy.data.node_groups if g.bl_idname == "GeometryNodeTree"}
    modifiers = {o.name: [(m.name, m.node_group and m.node_group.name) for m in o.modifiers] for o in bpy.data.objects}
    return {"trees": trees, "modifiers": modifiers}


def namespace() -> dict[str, Any]:
    """The namespace of requests: ``bpy``, this module's functions, and the add-on's modules."""
    import importlib

    paths = ("agents.server", "api", "host.sliders", "run.session", "ui.pictures", "ui.polling", "ui.preferences")
    names = {path.rpartition(".")[2]: importlib.import_module(f"{ADDON}.{path}") for path in paths}
    known = {"current": names["session"].current, "sliders": names["sliders"].of}
    return globals() | names | known | {"D": bpy.data, "C": bpy.context}


def _simulate(events: list[dict[str, Any]]) -> None:
    window = bpy.context.window_manager.windows[0]
    for event in events:
        window.event_simulate(**event)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        if "exec" in request:
            exec(request["exec"], namespace())
            return {"value": None}
        value = eval(request["eval"], namespace())
        json.dumps(value)
        return {"value": value}
    except Exception:
        return {"error": traceback.format_exc()}


def _reply(message: dict[str, Any]) -> None:
    _connection.setblocking(True)
    _connection.sendall(json.dumps(message).encode() + b"\n")
    _connection.setblocking(False)


def _turn() -> float:
    global _unread, _settling
    if _events:
        _simulate(_events.popleft())
        _settling = 2
    elif _settling:
        # What the last event caused is handled and drawn before the next request.
        _settling -= 1
        if not _settling:
            _reply({"value": None})
    else:
        try:
            _unread += _connection.recv(1 << 16)
        except BlockingIOError:
            return INTERVAL_S
        while b"\n" in _unread:
            line, _unread = _unread.split(b"\n", 1)
            request = json.loads(line)
            if "events" in request:
                _events.extend(request["events"])
            else:
                _reply(_answer(request))
    return 0.0


def start() -> None:
    """Connects to the tests and polls the socket with a timer that persists when files are loaded."""
    preferences = bpy.context.preferences
    preferences.view.show_splash = False
    preferences.use_preferences_save = False
    preferences.filepaths.use_auto_save_temporary_files = False
    # Drawing is the processor's work here: not eight times after each change, nor the scene behind the sidebar.
    preferences.system.viewport_aa = "OFF"
    preferences.system.use_overlay_smooth_wire = False
    preferences.system.use_region_overlap = False
    _connection.connect(os.environ["GEONODE_AGENT"])
    _connection.setblocking(False)
    bpy.app.timers.register(_turn, persistent=True)


start()
