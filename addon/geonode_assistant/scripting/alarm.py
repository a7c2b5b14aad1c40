# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python part of the second wall, which ends a script at audit events of the interpreter.

The alarm itself is native (``geonode_core.alarm_ready``). This module loads what a script needs before it runs, since
importing raises the alarm; lists library functions that compile text of their own; and says which modules and classes
are compared after the script.
"""

from __future__ import annotations

import ast
import atexit
import collections
import contextlib
import dataclasses
import importlib
import inspect
import random
import sys
import traceback
import typing
from collections.abc import Iterable
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

import bpy

from .. import native
from . import dynamic_types, policy, quiet

# Parts of a module that it imports on first use.
_LAZY = {
    "numpy": ("numpy.random", "numpy.fft", "numpy.linalg", "numpy.ma"),
    "bpy_extras": ("idprop", "mathutils.geometry", "random"),
    "collections": ("copy", "heapq"),
    "calendar": ("warnings",),
    "datetime": ("_strptime",),
    "enum": ("warnings",),
    "fractions": ("decimal",),
    "functools": ("types", "typing", "warnings", "weakref"),
    "hashlib": ("_blake2", "_md5", "_sha1", "_sha2", "_sha256", "_sha3", "_sha512"),
    "operator": ("functools",),
    "pprint": ("time",),
    "random": ("_sha2", "_sha512", "hashlib", "time", "warnings"),
    "re": ("warnings",),
    "time": ("_strptime",),
    "statistics": ("fractions", "decimal", "numbers"),
    "traceback": ("_suggestions", "ast", "unicodedata"),
    "types": ("_collections_abc", "functools"),
    "typing": ("contextlib", "inspect", "re", "warnings"),
    "uuid": ("hashlib", "random", "time"),
    "warnings": ("functools", "inspect", "linecache", "re", "traceback", "tracemalloc", "types"),
    "bpy": (
        "_bpy_internal.grease_pencil.stroke",
        # What operators that are written in Python import when they are called.
        "animsys_refactor",
        "_animsys_refactor",
        "array",
        "bl_operators.bmesh",
        "bl_operators.bmesh.find_adjacent",
        "bl_rna_utils.data_path",
        "_bl_rna_utils.data_path",
        "bpy_extras.anim_utils",
        "bpy_extras.bmesh_utils",
        "bpy_extras.image_utils",
        "bpy_extras.io_utils",
        "bpy_extras.node_utils",
        "bpy_extras.object_utils",
        "bpy_extras.wm_utils",
        "bpy_extras.wm_utils.progress_report",
        "collections",
        "datetime",
        "fnmatch",
        "functools",
        "itertools",
        "mathutils.geometry",
        "nodeitems_builtins",
        "random",
        "rna_prop_ui",
        "string",
        "struct",
    ),  # fmt: skip
    "": ("_pylong", "warnings", "geonode_assistant.host.catalogue", "geonode_assistant.host.context"),
}
# Library functions that generate code from names, with the audit events that they raise. The names are identifiers:
# these functions, or the class statement around them, check that.
_MAKING: tuple[tuple[Any, str, tuple[str, ...]], ...] = (
    (collections, "namedtuple", ("compile", "exec", "sys._getframe", "sys._getframemodulename", "object.__setattr__")),
    (dataclasses, "_create_fn", ("compile", "exec")),
    (dataclasses, "_FuncBuilder.add_fns_to_class", ("compile", "exec")),
    (dataclasses, "_process_class", ("object.__setattr__",)),
    (dataclasses, "_add_slots", ("object.__setattr__",)),
    (inspect, "_signature_from_function", ("object.__getattr__",)),
    (typing, "ForwardRef.__init__", ("compile",)),
    (typing, "NamedTupleMeta.__new__", ("object.__setattr__",)),
    (typing, "TypeVar.__init__", ("sys._getframe", "sys._getframemodulename")),
    (typing, "_caller", ("sys._getframe", "sys._getframemodulename")),
)


def prepare(source: str) -> None:
    """Imports everything that a script with this text may need, so that nothing is imported while it runs."""
    _allow()
    quiet.prepare(source)
    for name in _imported(source):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def _imported(source: str) -> Iterable[str]:
    allowed = policy.policy().modules
    asked: dict[str, None] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            asked.update((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            asked[node.module] = None
            asked.update((f"{node.module}.{alias.name}", None) for alias in node.names)
    for name in ["", "bpy", *asked]:
        if not name or name in allowed:
            if name:
                yield name
            yield from loaded_for(name)
    # A script's module is made with its inner ones, which Python may not import then.
    roots = {name.partition(".")[0] for name in asked} - {"bpy"}
    yield from (inner for inner in allowed if inner.partition(".")[0] in roots)


def loaded_for(module: str) -> Iterable[str]:
    """What else is loaded for a module, or for every script (an empty name)."""
    return (part.replace("geonode_assistant", _PACKAGE) for part in _LAZY.get(module.partition(".")[0], ()))


_PACKAGE = __package__.rpartition(".")[0]


@cache
def _allow() -> None:
    """Registers the library functions that generate code with the alarm; once per session."""
    core = native.core()
    random.Random("")  # at its first text as a seed, the module keeps a function
    for module, name, events in _MAKING:
        found: Any = module
        for part in name.split("."):
            found = getattr(found, part, None)
        for code in _codes(found):
            for event in events:
                core.alarm_allow(event, code)
    # When an operator written in Python fails, Blender prints the error; newer Pythons do this in Python code.
    for walk in _codes(getattr(traceback, "_walk_tb_with_full_positions", None)):
        for whole in _codes(getattr(traceback, "_print_exception_bltin", None)):
            core.alarm_allow("object.__getattr__", walk, whole)


def _codes(function: Any) -> list[CodeType]:
    function = inspect.unwrap(function) if callable(function) else function
    return [function.__code__] if isinstance(function, FunctionType) else []


# -- what is compared
# ---------------------------------------------------------------------------------------------------


def save_shared() -> Any:
    """The state of the modules and classes that a script shares with the session, to compare it afterwards.

    These are the listed ones, Python's own, ours, and Blender's types, which Blender creates on first access.
    """
    found = (len(sys.modules), len(type.__subclasses__(bpy.types.bpy_struct)))
    if _kept.get("found") != found:
        _kept.update(found=found, namespaces=native.core().Namespaces(_shared()))
    _kept["namespaces"].keep()
    return _kept["namespaces"]


def forget_types() -> None:
    """Empties the caches of `typing`, which may hold objects of a script and would call them later."""
    cleanups: Any = getattr(typing, "_cleanups", ())
    for forget in cleanups:
        forget()


_kept: dict[str, Any] = {}
atexit.register(_kept.clear)  # a native object that outlives Python would wait for it forever


def _shared() -> list[Any]:
    watched = [sys.modules[name] for name in sorted({*policy.policy().modules, *_WATCHED}) if name in sys.modules]
    watched += [one for name, one in sorted(sys.modules.items()) if name.startswith(__package__)]
    found: dict[int, Any] = {}
    for module in watched:
        if isinstance(module, ModuleType):
            found[id(module)] = module
            found.update((id(one), one) for one in vars(module).values() if _is_changeable(one))
    found.update((id(one), one) for one in _blenders())
    return list(found.values())


_WATCHED = frozenset({
    "builtins", "sys", "os", "os.path", "posixpath", "ntpath", "io", "_io", "codecs", "importlib",
    "importlib._bootstrap", "importlib._bootstrap_external", "posix", "nt", "subprocess", "socket", "threading",
    "ctypes", "pickle", "marshal", "gc", "atexit", "signal", "weakref", "inspect", "types", "bpy", "bpy.ops",
    "bpy_types", "_bpy_types", "bpy.utils", "_bpy",
})  # fmt: skip
_IMMUTABLE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE


def _is_changeable(value: Any) -> bool:
    return isinstance(value, type) and not value.__flags__ & _IMMUTABLE


def _blenders() -> Iterable[type]:
    waiting = [bpy.types.bpy_struct]
    seen = set(waiting)
    while waiting:
        one = waiting.pop()
        if dynamic_types.is_dynamic(one):
            continue  # Blender makes it anew when an interface changes, and the former one is not to be completed
        if "bl_rna" not in vars(one):
            # Blender completes a class that is written in Python on first access.
            getattr(bpy.types, one.__name__, None)
        yield one
        for inner in type.__subclasses__(one):
            if inner not in seen:
                seen.add(inner)
                waiting.append(inner)
