# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes down what a script does to Blender while it runs behind its guards in a sealed trial.

The record (``rust/script/src/record``) has calls, values that were set, and meshes that were written, each with the
address of what it concerns; reading leaves nothing in it. Where something cannot be recorded exactly, the first reason
is kept and there is no record: the script itself then runs in the artist's Blender.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import bpy

from ..host import addresses, mesh_data
from ..messages import AssistantError
from . import instrument, products, recorded_guards, sizes, with_blocks
from .errors import Guarded
from .provenance import COLLECTION, STRUCT, Provenance, of_file
from .recorded_guards import At, In, Operator, Within
from .recorded_values import MATH, NotRecordable, encode

VERSION = 1
# The most entries of a record, and the most numbers in all of them.
ENTRIES, NUMBERS = 30_000, 1_000_000
TOUCHED = "__geonode_touched__"

_READING = frozenset(
    "get keys values items find foreach_get path_from_id path_resolve is_property_set is_property_hidden "
    "is_property_readonly bl_rna_get_subclass to_list to_dict evaluate user_of_id select_get visible_get "
    "hide_get as_bytes closest_point_on_mesh ray_cast is_inside_outside".split()
)
"""Methods that leave the file as it is."""
_FOUND_BY_KEY = frozenset({"get"})
_OF_THIS_PROCESS = frozenset(
    "area region region_data screen space_data window window_manager workspace preferences asset copy".split()
)
"""Members of the context that a trial in the background does not have, or has otherwise."""
_OF_THE_FILE = frozenset("filepath is_dirty is_saved use_autopack window_managers screens workspaces libraries".split())
"""Members of ``bpy.data`` that are others in a copy of the file."""
_IN_PLACE = ("iadd", "isub", "imul")
_CHANGING = {
    "bmesh": ("from_edit_mesh", "update_edit_mesh"),
    "bpy_extras.object_utils": ("object_data_add",),
    "bpy_extras.anim_utils": ("action_ensure_channelbag_for_slot",),
}
"""Functions of modules that change the file themselves."""
_ELEMENTS = frozenset(
    "vertices edges loops polygons attributes color_attributes vertex_colors uv_layers skin_vertices".split()
)
"""Members of a mesh that hold its elements."""
_WRITTEN_IN_PYTHON = ("_bpy_internal", "bpy_extras")
"""Modules of classes that change the file from within: Blender's Grease Pencil strokes."""
_MESH_OPERATORS = frozenset({"bmesh_to_mesh", "object_load_bmesh"})


class Recorder:
    """What one script does."""

    def __init__(self, without_users: frozenset[str] = frozenset()) -> None:
        """``without_users``: the collections of ``bpy.data`` of which the copy lacks data-blocks that nothing uses."""
        self._without_users = without_users
        self._came = Provenance()
        self._entries: list[dict[str, Any]] = []
        self._numbers = 0
        self._waiting: Any = None
        self._numbered: set[tuple[str, bool]] = set()
        """Meshes of which the record says how they number their elements, and nothing has changed that since."""
        self._native: dict[str, Callable[..., Any]] = {}
        self._situation = addresses.situation()
        self.reason: str | None = None
        """Why there is no record; None as long as there is one."""

    def record(self, output: str) -> dict[str, Any] | None:
        """The record of a script that has ended and printed ``output``."""
        self._settle(None)
        if self.reason is not None:
            return None
        return {"version": VERSION, "situation": self._situation, "entries": self._entries, "output": output}

    def lost(self, reason: str) -> None:
        """There will be no record."""
        if self.reason is None:
            self.reason = reason
            self._entries = []

    # -- the guards

    def around(self, native: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
        """The guards of a script, which from now on tell the recorder what passes them."""
        self._native = native

        def at(thing: Any) -> At:
            return At(self, native, thing)

        def inside(thing: Any) -> In:
            return In(self, native, thing)

        def send(name: str, thing: Any, /, *args: Any, **kwargs: Any) -> Any:
            return self.load(thing, name)(*args, **kwargs)

        return {
            **native,
            "send": send,
            "load": self.load,
            "item": self.item,
            "store": self.store,
            "store_item": self.store_item,
            "at": at,
            "inside": inside,
        }

    def load(self, thing: Any, name: str) -> Any:
        """Reads an attribute, as the script does."""
        found = self._native["load"](thing, name)
        if self.reason is not None:
            return found
        self._settle((thing, name))
        if isinstance(thing, type):
            return self._unbound(thing, found) if issubclass(thing, STRUCT) and callable(found) else found
        if isinstance(thing, MATH):
            return self._of_vector(thing, name, found)
        if name == "to_mesh" and type(thing).__name__ == "BMesh":
            return lambda mesh: self._to_mesh(mesh, found)
        if type(thing).__module__.startswith(_WRITTEN_IN_PYTHON):
            self.lost(f"it uses {type(thing).__name__}, whose own code changes the file")
        if not self._is_file(thing):
            return found
        if callable(found) and not isinstance(found, STRUCT | type):
            if name in _READING:
                return self._finding(thing, found) if name in _FOUND_BY_KEY else found
            return lambda *args, **kwargs: self._call(thing, name, found, args, kwargs)
        self._look(thing, name, found)
        self._came.note(found, thing, name)
        return found

    def item(self, thing: Any, key: Any) -> Any:
        """Reads an item."""
        found = self._native["item"](thing, key)
        if self.reason is None:
            self._settle(None)
            if isinstance(thing, MATH):
                if isinstance(found, MATH) and of_file(found):
                    self._came.note(found, thing, {"item": key})
            elif self._is_file(thing) and isinstance(key, int | str):
                self._came.note(found, thing, {"item": key})
        return found

    def store(self, value: Any, thing: Any, name: str) -> None:
        """Sets an attribute."""
        self._setting("set", thing, name, value, lambda: self._native["store"](value, thing, name))

    def store_item(self, value: Any, thing: Any, key: Any) -> None:
        """Sets an item."""
        self._setting("set_item", thing, key, value, lambda: self._native["store_item"](value, thing, key))

    def delete_item(self, thing: Any, key: Any, act: Callable[[], None]) -> None:
        """``del thing[key]``."""
        self._setting("delete_item", thing, key, None, act)

    def _setting(self, what: str, thing: Any, name: Any, value: Any, act: Callable[[], None]) -> None:
        if type(thing).__module__.startswith(_WRITTEN_IN_PYTHON):
            self.lost(f"it uses {type(thing).__name__}, whose own code changes the file")
        if self.reason is not None or not (self._is_file(thing) or isinstance(thing, MATH) and of_file(thing)):
            return act()
        self._settle(None)
        entry: dict[str, Any] = {"do": what}
        try:
            entry["of"] = self._came.address(thing)
            if what != "delete_item":
                self._number(entry, "")
            entry["name" if what == "set" else "key"] = name if what == "set" else self._encoded(name)
            if what != "delete_item":
                entry["value"] = self._encoded(value)
        except NotRecordable as error:
            self.lost(f"it sets {name!r}, and {error}")
        try:
            act()
        except Guarded as error:
            # Some guards look at what has been set.
            self.lost(f"a guard stopped it ({error})")
            raise
        self._add(entry)
        return None

    # -- what lies behind

    def _is_file(self, thing: Any) -> bool:
        return isinstance(thing, STRUCT | COLLECTION | bpy.types.bpy_prop) or self._came.knows(thing)

    def _look(self, thing: Any, name: str, found: Any) -> None:
        """Notices what is otherwise in a trial than in the artist's Blender."""
        if isinstance(thing, bpy.types.Context):
            if name in _OF_THIS_PROCESS:
                self.lost(f"it reads bpy.context.{name}")
        elif isinstance(thing, bpy.types.BlendData):
            if name in _OF_THE_FILE:
                self.lost(f"it reads bpy.data.{name}")
            elif name in self._without_users:
                self._waiting = found
        elif name == "users" and self._without_users:
            self.lost("it counts users, and the trial lacks data that nothing uses")

    def _settle(self, access: tuple[Any, str] | None) -> None:
        """A collection of which the copy lacks some data may only be added to, or removed from."""
        if self._waiting is not None:
            collection, self._waiting = self._waiting, None
            if access is None or access[0] is not collection or access[1] not in ("new", "remove"):
                self.lost("it reads a list of data-blocks of which the trial lacks those without users")

    def _encoded(self, value: Any) -> Any:
        if hasattr(value, "__len__"):
            self._numbers += len(value)
            if self._numbers > NUMBERS:
                raise NotRecordable("its values are too many")
        return encode(value, self._came.address)

    def _add(self, entry: dict[str, Any]) -> int:
        if self.reason is None:
            self._entries.append(entry)
            if len(self._entries) > ENTRIES:
                self.lost(f"it does more than {ENTRIES:,} things")
        return len(self._entries) - 1

    # -- calls

    def _call(self, thing: Any, name: str, function: Any, args: Any, kwargs: Any) -> Any:
        entry: dict[str, Any] = {"do": "call"}
        if self.reason is None:
            self._settle(None)
            if name == "new" and getattr(getattr(thing, "bl_rna", None), "identifier", "") == "NodeLinks":
                args = sizes.meant_sockets(args)  # what is recorded is what is linked
            try:
                entry |= {"of": self._came.address(thing), "name": name}
                self._number(entry, name)
                entry["args"] = [self._encoded(one) for one in args]
                entry["named"] = {key: self._encoded(one) for key, one in kwargs.items()}
            except NotRecordable as error:
                self.lost(f"it calls {name}(), and {error}")
        return self._done(entry, lambda: function(*args, **kwargs))

    def _number(self, entry: dict[str, Any], called: str) -> None:
        """Blender's own operators number elements otherwise each time: an entry about one says how they were."""
        root, path = entry["of"]["root"], entry["of"]["path"]
        block = root.get("block") if isinstance(root, dict) else None
        mesh: Any = None
        if block and block["kind"] == "meshes" and path and path[0] in _ELEMENTS:
            mesh = addresses.find(**block)
        elif block and block["kind"] == "objects" and path and path[0] == "vertex_groups" and called:
            mesh = addresses.find(**block).data
        edges = path[:1] in (["edges"], ["attributes"])
        if isinstance(mesh, bpy.types.Mesh) and (mesh.name, edges) not in self._numbered:
            self._numbered.add((mesh.name, edges))
            entry["numbering"] = mesh_data.numbering(mesh, edges)
        if called and called != "foreach_set":
            self._numbered.clear()

    def _done(self, entry: dict[str, Any], act: Callable[[], Any]) -> Any:
        number = self._add(entry)
        if entry["do"] == "operator":
            self._numbered.clear()
        try:
            found = act()
        except Guarded as error:
            self.lost(f"a guard stopped it ({error})")
            raise
        except Exception:
            entry["fails"] = True
            raise
        if self.reason is None:
            if isinstance(found, bpy.types.ID):
                entry["makes"] = addresses.name_of(found)
            self._came.note_result(found, number)
        return found

    def operator(self, name: str, real: Any) -> Any:
        """An operator that is recorded when it is called."""
        return Operator(self, name, real)

    def call_operator(self, name: str, real: Any, args: Any, kwargs: Any) -> Any:
        """Calls an operator, as the script does."""
        entry: dict[str, Any] = {"do": "operator", "name": name, "context": next(iter(args), None)}
        if self.reason is None:
            self._settle(None)
            try:
                entry["named"] = {key: self._encoded(one) for key, one in kwargs.items()}
            except NotRecordable as error:
                self.lost(f"it calls bpy.ops.{name}, and {error}")
        return self._done(entry, lambda: real(*args, **kwargs))

    def _finding(self, thing: Any, found: Any) -> Callable[..., Any]:
        """``get`` of a collection: what it finds is an item."""

        def get(*args: Any, **kwargs: Any) -> Any:
            result = found(*args, **kwargs)
            if self.reason is None and args and isinstance(args[0], str) and result is not None:
                self._came.note(result, thing, {"item": args[0]})
            return result

        return get

    def _unbound(self, cls: type, found: Any) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            self.lost(f"it calls a function of the class {cls.__name__}")
            return found(*args, **kwargs)

        return called

    def functions(self, module: str, members: dict[str, Any]) -> dict[str, Any]:
        """The functions of a module that change what they are given, as a script gets them."""
        if module == "operator":
            return {name: self._in_place(name) for name in _IN_PLACE}
        if module == "bmesh.ops":
            return {
                name: self._unseen(f"bmesh.ops.{name}", members[name]) for name in _MESH_OPERATORS if name in members
            }
        return {
            name: self._unseen(f"{module}.{name}", members[name])
            for name in _CHANGING.get(module, ())
            if name in members
        }

    def _unseen(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            self.lost(f"it calls {name}()")
            return function(*args, **kwargs)

        return called

    def _in_place(self, name: str) -> Callable[[Any, Any], Any]:
        function = getattr(operator, name)

        def called(one: Any, other: Any, /) -> Any:
            found = function(one, other)
            self.touched(found)
            return found

        return called

    def _into_product(self, one: Any, other: Any) -> Any:
        found = products.into(one, other)
        self.touched(found)
        return found

    def _to_mesh(self, mesh: Any, write: Callable[[Any], None]) -> None:
        """A BMesh is the script's own until it is written into a mesh: that is recorded as the mesh that came of it."""
        write(mesh)
        if self.reason is not None:
            return
        self._settle(None)
        try:
            data = mesh_data.read(mesh)
            self._numbers += _numbers(data)
            if self._numbers > NUMBERS:
                raise NotRecordable("its meshes are too large")
            self._numbered.clear()
            self._add({"do": "mesh", "of": self._came.address(mesh), "mesh": data})
        except (NotRecordable, AssistantError) as error:
            self.lost(f"it writes a mesh, and {error}")

    # -- vectors and matrices of the file

    def _of_vector(self, thing: Any, name: str, found: Any) -> Any:
        if not of_file(thing):
            return found
        if isinstance(found, MATH):
            if of_file(found):
                self._came.note(found, thing, name)
            return found
        if not callable(found):
            return found

        def called(*args: Any, **kwargs: Any) -> Any:
            before = thing.copy()
            result = found(*args, **kwargs)
            if thing != before:
                self.touched(thing)
            return result

        return called

    def touched(self, thing: Any) -> None:
        """A value of mathutils was changed in place."""
        if self.reason is not None or not isinstance(thing, MATH) or not of_file(thing):
            return
        self._settle(None)
        try:
            parent, step = self._came.last_step(thing)
            entry = {"of": self._came.address(parent), "value": self._encoded(thing)}
            if isinstance(step, str):
                self._add({"do": "set", "name": step, **entry})
            else:
                self._add({"do": "set_item", "key": step["item"], **entry})
        except NotRecordable as error:
            self.lost(f"it changes a {type(thing).__name__} in place, and {error}")

    # -- contexts

    def managed(self, thing: Any) -> Any:
        """The context manager of a `with`: those of Blender are entered and left in the record too."""
        found = with_blocks.managed(thing)
        return Within(self, thing, found) if self._came.knows(thing) else found

    def pass_border(self, thing: Any, what: str) -> None:
        """Blender's context was entered or left."""
        if self.reason is None:
            try:
                self._add({"do": what, "of": self._came.address(thing)})
            except NotRecordable as error:
                self.lost(f"it enters a context, and {error}")

    # -- the text

    def instrumented(self, tree: ast.Module) -> ast.Module:
        """Tells the recorder of what no guard sees: `v += 1` with a vector of the file."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr == "background":
                self.lost("it asks whether Blender has a window")
        return ast.fix_missing_locations(recorded_guards.Touching(TOUCHED).visit(tree))

    def builtins(self) -> dict[str, Any]:
        """What ``instrumented`` calls."""
        return {TOUCHED: self.touched, instrument.WITH: self.managed, instrument.INTO_PRODUCT: self._into_product}


def _numbers(data: Any) -> int:
    if isinstance(data, dict):
        return sum(map(_numbers, data.values()))
    if isinstance(data, list) and data and isinstance(data[0], dict):
        return sum(map(_numbers, data))
    return len(data) if isinstance(data, list) else 0
