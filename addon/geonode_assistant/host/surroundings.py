# SPDX-License-Identifier: GPL-3.0-or-later
"""State that outlives a script: compared before and after it, and restored where undo does not."""

from __future__ import annotations

import atexit
import builtins
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import repeat
from operator import attrgetter, contains, gt
from typing import Any

import bpy

from . import current

_PREFERENCES = ("apps", "edit", "experimental", "filepaths", "inputs", "keymap", "system", "view")
_REGISTERED = ("Operator", "Panel", "Menu", "Header", "UIList", "PropertyGroup", "AddonPreferences", "NodeTree", "Node",
               "NodeSocket", "KeyingSetInfo", "RenderEngine", "Gizmo", "GizmoGroup")  # fmt: skip


_PACKAGE = __package__.rpartition(".")[0]


class Surroundings:
    """The state, when this was created, of everything that a script in safe mode must not change."""

    def __init__(self) -> None:
        self._before = _state()
        self._handlers = {name: list(found) for name, found in _handlers()}
        self._environment = dict(os.environ)
        self._namespace = dict(_names_for_drivers())
        self._path = list(sys.path)
        self._modules = dict(sys.modules)

    def put_back(self) -> list[str]:
        """Restores the state; returns descriptions of what had changed, empty if nothing had.

        Handlers, preferences, names for drivers and Python's own state are restored here; texts, drivers and other data
        of the file by the caller's undo.
        """
        after = _state()
        after[_OUTPUT] = _known_output(self._before[_OUTPUT], after[_OUTPUT])
        after[_DRIVERS] |= self._before[_DRIVERS]  # one that is gone evaluates nothing
        changed = [name for name, value in self._before.items() if after[name] != value]
        if changed:
            self._restore()
        return changed

    def _restore(self) -> None:
        for name, found in _handlers():
            if [id(one) for one in found] != [id(one) for one in self._handlers[name]]:
                found[:] = self._handlers[name]
        _names_for_drivers().clear()
        _names_for_drivers().update(self._namespace)
        sys.path[:] = self._path
        for name, module in self._modules.items():
            if sys.modules.get(name) is not module:
                sys.modules[name] = module
        for name in set(sys.modules) - set(self._modules):
            if not name.startswith(_OURS):
                del sys.modules[name]
        for key in set(os.environ) - set(self._environment):
            del os.environ[key]
        for key, value in self._environment.items():
            if os.environ.get(key) != value:
                os.environ[key] = value
        for group, kept in self._before["preferences"].items():
            part = getattr(current.preferences(), group)
            for name, value in kept.items():
                if _plain(getattr(part, name)) != value and not part.is_property_readonly(name):
                    setattr(part, name, value)


def _state() -> dict[str, Any]:
    return {name: read() for name, read in _READERS.items()}


_OUTPUT = "render output"
_DRIVERS = "drivers"


def _output() -> dict[int, str]:
    return {scene.session_uid: scene.render.filepath for scene in bpy.data.scenes}


def _usual_output() -> str:
    path: Any = bpy.types.RenderSettings.bl_rna.properties["filepath"]
    return path.default


def _known_output(before: dict[int, str], after: dict[int, str]) -> dict[int, str]:
    """The output paths after a run, without scenes that were added or removed, unless an added one has its own path."""
    usual = {*before.values(), _usual_output(), "/tmp/", "//", ""}
    own = {uid: path for uid, path in after.items() if uid not in before and path not in usual}
    return {uid: after.get(uid, path) for uid, path in before.items()} | own


def _handlers() -> Iterator[tuple[str, list[Any]]]:
    for name in dir(bpy.app.handlers):
        found = getattr(bpy.app.handlers, name)
        if isinstance(found, list):
            yield name, found


def _preferences() -> dict[str, dict[str, Any]]:
    preferences = current.preferences()
    found = {}
    for group in _PREFERENCES:
        part = getattr(preferences, group, None)
        if part is not None:
            found[group] = {name: _plain(getattr(part, name)) for name in _fields(part)}
    return found


_FIELDS: dict[type, list[str]] = {}


def _fields(part: Any) -> list[str]:
    kind = type(part)
    if kind not in _FIELDS:
        simple = {"BOOLEAN", "INT", "FLOAT", "STRING", "ENUM"}
        _FIELDS[kind] = [p.identifier for p in part.bl_rna.properties if p.type in simple]
    return _FIELDS[kind]


def _plain(value: Any) -> Any:
    if isinstance(value, str | int | float | bool):
        return value
    return frozenset(value) if isinstance(value, set) else tuple(value)


def _keymaps() -> list[tuple[str, int]]:
    keyconfigs = current.window_manager().keyconfigs
    found = []
    for config in (keyconfigs.addon, keyconfigs.user):
        if config is not None:
            found += [(keymap.name, len(keymap.keymap_items)) for keymap in config.keymaps]
    return found


def _texts() -> list[tuple[str, str, bool]]:
    return [(text.name, text.as_string(), text.use_module) for text in bpy.data.texts]


def _names_for_drivers() -> dict[str, Any]:
    _forget_at_exit()
    return bpy.app.driver_namespace


@cache
def _forget_at_exit() -> None:
    """Makes Blender as a module forget these names before Python ends: in 4.x, freeing them later hangs."""
    if bpy.app.version < (5, 0, 0) and getattr(bpy.app, "module", not bpy.app.binary_path):
        atexit.register(bpy.ops.wm.read_homefile, use_empty=True, use_factory_startup=True)


def _is_number(expression: str) -> bool:
    """Whether an expression evaluates nothing: a new driver has the present value."""
    try:
        float(expression)
    except ValueError:
        return False
    return True


def _drivers() -> set[tuple[str, bool]]:
    """The expressions that drivers evaluate. Which block has one is data, which scripts copy, rename and remove."""
    found = set()
    for prop in bpy.data.bl_rna.properties:
        if prop.type != "COLLECTION":
            continue
        for block in getattr(bpy.data, prop.identifier):
            data = getattr(block, "animation_data", None)
            for curve in data.drivers if data is not None else ():
                if curve.driver.type == "SCRIPTED" and not _is_number(curve.driver.expression):
                    found.add((curve.driver.expression, curve.driver.use_self))
    return found


def _classes() -> list[int]:
    """Classes defined in Python; Blender creates those of its own types on first access."""
    kinds = [getattr(bpy.types, name) for name in _REGISTERED if hasattr(bpy.types, name)]
    return [_count_registered(kind.__subclasses__()) for kind in kinds]


def _count_registered(classes: Iterable[type]) -> int:
    """How many are registered and not Blender's own; an unregistered one may exist until Python collects garbage."""
    # There are two thousand, looked at twice by each script: without a line of Python for each.
    classes = tuple(classes)
    registered = map(contains, map(vars, classes), repeat("bl_rna"))
    blenders = map(str.startswith, map(attrgetter("__module__"), classes), repeat("bpy"))
    return sum(map(gt, registered, blenders))


def _python() -> list[Any]:
    hooks = [sys.excepthook, sys.displayhook, sys.stdout, sys.stderr, sys.stdin, sys.gettrace(), sys.getprofile()]
    return [
        *map(id, hooks),
        list(sys.path),
        [id(one) for one in (*sys.meta_path, *sys.path_hooks)],
        {name: id(value) for name, value in list(vars(builtins).items()) if name != "_"},
        sys.getrecursionlimit(),
        [id(signal.getsignal(one)) for one in (signal.SIGINT, signal.SIGTERM)],
    ]


_OURS = (_PACKAGE, "geonode_core")


def _modules() -> dict[str, int]:
    """The loaded modules. Those that a script needs were loaded before, so only our own code loads more meanwhile."""
    return {name: id(module) for name, module in list(sys.modules.items()) if not name.startswith(_OURS)}


def _is_blenders(path: str) -> bool:
    """Whether a library is one that Blender itself brings, from which some of its operators append."""
    utilities: Any = bpy.utils
    brought = os.path.realpath(utilities.system_resource("DATAFILES", path="assets"))
    found = os.path.realpath(bpy.path.abspath(path))
    return found.startswith(brought + os.sep)


def _files() -> tuple[Any, ...]:
    data = bpy.data
    return (
        data.filepath,
        tuple(library.filepath for library in data.libraries if not _is_blenders(library.filepath)),
        len(current.window_manager().windows),
    )


_READERS: dict[str, Callable[[], Any]] = {
    "handlers": lambda: {name: [id(one) for one in found] for name, found in _handlers()},
    "names for drivers": lambda: {name: id(value) for name, value in _names_for_drivers().items()},
    _DRIVERS: _drivers,
    "text blocks": _texts,
    "keymaps": _keymaps,
    "preferences": _preferences,
    "add-ons": lambda: [addon.module for addon in current.preferences().addons],
    "registered classes": _classes,
    "the open file": _files,
    _OUTPUT: _output,
    "Python itself": _python,
    "Python's modules": _modules,
    "environment variables": lambda: dict(os.environ),
    "working folder": lambda: os.getcwd(),
}
