# SPDX-License-Identifier: GPL-3.0-or-later
"""The first wall: what a script may do with an object, decided by its type. Whatever is not listed is refused.

The guards themselves are native (``geonode_core.membrane``) and call this module once for each type and name. Blender's
data is judged by the names that the policy lists for it, types of libraries by their own lists, classes and modules by
identity. Only a script's own classes, which our ``__build_class__`` has created, and their instances are unrestricted.
"""

from __future__ import annotations

import dataclasses
import re
import types
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from types import FunctionType, ModuleType
from typing import Any

import bmesh
import bpy
import mathutils
from mathutils import bvhtree, kdtree

from .. import native
from ..host import rna
from ..host.belongings import NAMED
from . import (
    absent,
    blender_methods,
    bulk,
    dynamic_types,
    faces,
    freed,
    guards,
    indices,
    library,
    making,
    mesh_removals,
    methods,
    older,
    passing,
    pictures,
    policy,
    products,
    properties,
    reached,
    removals,
    sizes,
    watches,
)
from .errors import NotAllowed
from .own_classes import ENUMS, OwnClasses, is_fixed, key
from .recorded_values import MATH

LOAD, STORE, DELETE, ITEM, STORE_ITEM, DELETE_ITEM, CALL, FACTOR, MAKE = range(9)
"""Kinds of access, with the numbers that the native guards use."""
AGAIN = 16
"""Added to the kind of an access that Blender has refused."""
PLAIN, HANDLED, ONCE = 1, 2, 5
ALONE = 2
"""Added to an answer that is only valid for this object."""
FOR_THIS_SCRIPT = 8
"""Added to an answer about something that the script created: the next script asks again."""
ENCLOSED = 16
"""Added to an answer where C may not call code of the script (``rust/python/src/enclosure.rs``)."""

_BLENDERS = (
    bpy.types.bpy_struct,
    bpy.types.bpy_prop_collection,
    bpy.types.bpy_prop_array,
    *rna.collection_types(),
)
_EDIT_BONE = bpy.types.EditBone
_OF_TREES = frozenset({"bakes", "node_warnings", "panels"})
"""Parts of a modifier that Blender makes for the nodes of its tree, and of all trees in it."""
_FROM_BLENDER = frozenset({"bpy_types", "_bpy_types", "bpy.types", "builtins", "bpy_restrict_state", "_bpy"})
_WRITTEN_IN_PYTHON = (FunctionType, property, staticmethod, classmethod)
_INPUT = re.compile(r"Socket_\d{1,4}\Z")
_DONE = {LOAD: "read", STORE: "set", DELETE: "deleted"}


class Membrane(OwnClasses):
    """The first wall around one script."""

    def __init__(self, own: frozenset[str]) -> None:
        known = policy.policy()
        super().__init__(known.types)
        self._names = known.attributes
        self._dunder = known.dunder_read | {"__class__"}
        self._methods = known.methods
        self._private = own
        self._stores = known.stores
        self._bounded = sizes.STORED | frozenset(known.bounds)
        self._given: set[Any] = {*MATH}
        self._modules: dict[int, ModuleType] = {}
        self._older = older.begin()
        self.guards: dict[str, Callable[..., Any]] = native.core().membrane(self._decide, self._handle)
        faces.begin(self.guards["forget"])

    def give(self, members: Iterable[Any]) -> None:
        """Lets the script call the classes among these, which it got by their names."""
        self._given.update(one for one in members if isinstance(one, type) and not issubclass(one, _BLENDERS))

    def admit(self, module: ModuleType) -> None:
        """Admits a module that was created for the script."""
        self._modules[id(module)] = module

    def begin(self, table: dict[str, Any]) -> None:
        """Takes the script's builtins: functions with these builtins are its own."""
        self._builtins = table
        self.guards["begin"](table, making.ASKED)
        self.give(value for name, value in table.items() if not name.startswith("__"))

    # -- decisions

    def _decide(self, kind: int, thing: Any, name: Any) -> int | tuple[int, Callable[..., Any]]:
        """The answer, perhaps with what is called for ``thing.name(…)``, as a function of the object."""
        if kind == MAKE:
            return self._made(thing)
        answer = self._judged(kind, thing, name)
        function = in_one_step(type(thing), name) if kind == LOAD and answer == HANDLED else None
        if calls_back(kind, type(thing), name):
            answer += ENCLOSED
        return answer if function is None else (answer, function)

    def _made(self, thing: type) -> int:
        """Decides about making an object by a class that C calls, or the script."""
        if thing in making.MADE:
            return HANDLED + ALONE
        if self._class(CALL, thing, type(thing), None):
            return PLAIN + ALONE + FOR_THIS_SCRIPT + (ENCLOSED if is_foreign(thing) else 0)
        if issubclass(thing, _BLENDERS) or thing.__module__ in _MODULES_OF_TYPES or thing in _FOREIGN:
            raise NotAllowed(f"{thing.__name__} is not allowed to be made in safe mode.")
        return PLAIN + ALONE  # by a library, for itself

    def _judged(self, kind: int, thing: Any, name: Any) -> int:
        cls = type(thing)
        if kind == FACTOR:
            return PLAIN if cls in MATH else HANDLED + FOR_THIS_SCRIPT
        if issubclass(cls, type):
            if self._class(kind, thing, cls, name):
                if kind == ITEM:
                    return HANDLED + ALONE + (FOR_THIS_SCRIPT if thing in self._own else 0)
                limited = kind == LOAD and _limit(thing, name) is not None
                passing = kind == CALL or thing in self._own
                return (HANDLED if limited else PLAIN) + ALONE + (FOR_THIS_SCRIPT if passing else 0)
        elif kind == LOAD and name == "format" and issubclass(cls, str):
            return HANDLED + (FOR_THIS_SCRIPT if cls in self._own else 0)
        elif self._is_own(cls):
            if kind > DELETE or self._free(cls, kind, name):
                limited = kind == LOAD and _limit(cls, name) is not None
                return (HANDLED if limited else PLAIN) + FOR_THIS_SCRIPT
        elif kind == LOAD and name == "__class__":
            return HANDLED
        elif issubclass(cls, _BLENDERS):
            found = self._blender(kind, cls, name)
            if found:
                return found
        elif cls is ModuleType:
            if id(thing) in self._modules and kind == LOAD and not name.startswith("__"):
                return PLAIN + ALONE + FOR_THIS_SCRIPT
        elif cls is FunctionType:
            if kind == CALL:
                return PLAIN
            if thing.__builtins__ is self._builtins and kind <= DELETE and not name.startswith("__"):
                return PLAIN + ALONE + FOR_THIS_SCRIPT
            if kind == LOAD and name in self._dunder:
                return PLAIN
        elif cls is types.BuiltinFunctionType and kind == LOAD and name in ("__name__", "__doc__"):
            return PLAIN
        elif cls is super:
            if kind == LOAD:
                return HANDLED + FOR_THIS_SCRIPT
        elif kind == LOAD:
            if self._listed(cls, name) and name not in _MAKING:
                if cls is dataclasses.Field and name == "type":
                    return HANDLED + FOR_THIS_SCRIPT
                return HANDLED if name == "resize" or _limit(cls, name) is not None else PLAIN
        elif kind in (STORE, DELETE):
            if any(name in names or "*" in names for names in self._written(cls)) and not name.startswith("_"):
                return PLAIN
        elif self.is_known(cls):
            handled = kind == ITEM and cls is types.GenericAlias or kind == DELETE_ITEM and cls is mesh_removals.WEIGHTS
            return HANDLED if handled else PLAIN
        if kind <= STORE and issubclass(cls, _BLENDERS) and not _has(thing, name):
            raise AttributeError(f"{cls.__name__!r} object has no attribute {name!r}")
        what = f"{cls.__name__}.{name}" if kind <= DELETE else cls.__name__
        done = _DONE.get(kind, "used so")
        raise NotAllowed(f"{what} is not allowed to be {done} in safe mode.")

    def _free(self, cls: type, kind: int, name: str) -> bool:
        """Decides about an attribute of an instance of an own class, or of the class itself."""
        if name.startswith("__") and name.endswith("__"):
            return kind == LOAD and (name in self._dunder or name in self._methods)
        if kind != LOAD and is_fixed(cls, name):
            return False
        for base in type.mro(cls):
            if name in base.__dict__:
                return base in self._own or self._listed(base, name)
        return True

    def _may_change(self, thing: type, kind: int, name: str) -> bool:
        """Decides about setting or deleting an attribute of an own class, which changes those derived from it too."""
        for one in self._own:
            if thing in (chain := type.mro(one)):
                if is_fixed(one, name):
                    return False
                # What is deleted uncovers what a library has under this name.
                behind = (*chain, *type.mro(type(one)))
                if kind == DELETE and any(name in base.__dict__ for base in behind if base not in self._own):
                    return False
        return True

    def _of_super(self, thing: Any, name: str) -> Any:
        """``super().name``: of a class of the script, for an object or a class of the script's that derives from it."""
        # Only from a class of the script and its bases: super() itself sees that the object is of that class.
        this, kind = (super.__dict__[part].__get__(thing) for part in ("__thisclass__", "__self_class__"))
        inner = name.startswith("__") and name.endswith("__")
        allowed = not inner or name in self._methods or name in self._dunder and name != "__class__"
        if not self._is_own(this) or not allowed:
            raise NotAllowed(f"super().{name} is not allowed to be read in safe mode.")
        chain = type.mro(kind)
        base = next((one for one in chain[chain.index(this) + 1 :] if name in one.__dict__), None)
        if base is None:
            raise AttributeError(f"'super' object has no attribute {name!r}")
        if base in self._own:
            return getattr(thing, name)
        given = super.__dict__["__self__"].__get__(thing)
        if name == "format" and issubclass(base, str):
            return guards.format_of(given)
        if inner or self._listed(base, name):
            limited = _limit(base, name)
            return getattr(thing, name) if limited is None else lambda *args, **how: limited(given, *args, **how)
        raise NotAllowed(f"super().{name} is not allowed to be read in safe mode.")

    def _is_given(self, kind: Any) -> bool:
        return isinstance(kind, type) and (kind in self._own or kind in self._given)

    def _class(self, kind: int, thing: type, meta: type, name: Any) -> bool:
        if kind == CALL:
            if issubclass(thing, type) or key(thing) in _INSTANCES_ONLY:
                return False
            return self._is_own(thing) or thing in self._given or issubclass(thing, Exception) and self.is_known(thing)
        if kind == ITEM:
            return thing in self._own or self.is_known(thing)
        if kind > DELETE or name == "__class__" or key(thing) in _INSTANCES_ONLY:
            return False
        if self._is_own(thing):
            if kind == LOAD and name == "__members__":
                return True
            if kind != LOAD and not self._may_change(thing, kind, name):
                return False
            return self._free(thing, kind, name) and not _of_metaclass(thing, name)
        if kind != LOAD:
            return False
        if name in _MAKING:
            return self._may_be_derived_from(thing)
        if name in self._dunder:
            return True
        if issubclass(thing, _BLENDERS):
            # A method with a guard is read from an object only.
            return self._blender(LOAD, thing, name) == PLAIN and name != "register"
        return self._listed(thing, name)

    def _blender(self, kind: int, cls: type, name: Any) -> int:
        if policy.is_refused(cls):
            return 0
        if cls is passing.PassingObject:
            passing.check(name, kind == LOAD)
        if kind > DELETE:
            return HANDLED if kind == STORE_ITEM else PLAIN
        if name == "normals" and issubclass(cls, bpy.types.Curves):
            return 0  # Blender frees this array with the iterator that made it
        if kind == STORE and isinstance(name, str) and name.startswith("bl_"):
            return 0  # these belong to the type of a node or a panel, for all files and after the script
        if name in ("bl_rna", "rna_type") and dynamic_types.is_dynamic(cls):
            return 0
        if kind == LOAD and name in policy.READABLE.get(cls, ()):
            return PLAIN
        if name not in self._names and not _INPUT.match(name) or kind == DELETE:
            return 0
        for base in type.mro(cls):
            if name in base.__dict__:
                written = isinstance(base.__dict__[name], _WRITTEN_IN_PYTHON)
                if written and base.__module__ not in _FROM_BLENDER:
                    return 0
                break
        if cls is _EDIT_BONE:
            return HANDLED
        if kind == LOAD and faces.is_use(cls, name):
            return HANDLED + FOR_THIS_SCRIPT
        if kind == LOAD and issubclass(cls, bpy.types.bpy_struct):
            if name in properties.METHODS or name in blender_methods.TABLES:
                return HANDLED
            if cls is passing.PassingObject or name in passing.SHOWN and cls is bpy.types.DepsgraphObjectInstance:
                return HANDLED
            if name in _OF_TREES and cls is bpy.types.NodesModifier:
                return 0  # any change of any tree that it uses may free them
        if kind == STORE:
            looked_at = name in self._bounded and sizes.looks_at(cls, name) or indices.is_index(cls, name)
            looked_at = looked_at or name in freed.STORED or dynamic_types.changes_interface(cls, name)
            looked_at = looked_at or name == "name" and issubclass(cls, NAMED)
            return HANDLED if looked_at else ONCE if reached.grows(cls, name) else PLAIN
        if reached.grows(cls, name) and cls is bpy.types.MeshUVLoopLayer:
            return HANDLED
        described: Any = cls.bl_rna if kind == LOAD and issubclass(cls, bpy.types.bpy_struct) else None
        guarded = name in sizes.METHODS or name in removals.METHODS or name in freed.METHODS
        if described is not None and name in described.properties:
            guarded = False  # a property of this type has the name of a method of others
        guarded = guarded or name in freed.EVALUATING or name in ("pixels", "temp_override")
        guarded = guarded or described is not None and bool(absent.required(described.identifier, name))
        if name == "foreach_set" and not issubclass(cls, bpy.types.bpy_struct):
            return HANDLED
        return HANDLED if guarded or name in indices.METHODS and indices.has_guard(cls, name) else PLAIN

    def _listed(self, cls: type, name: str) -> bool:
        if not self.is_known(cls) or name == "format":
            return False
        listed = [MEMBERS.get(cls, frozenset()), *(self._types.get(key(base), frozenset()) for base in type.mro(cls))]
        return any(name in names or ("*" in names and not name.startswith("_")) for names in listed)

    def is_known(self, cls: type) -> bool:
        """Whether a type is listed, or a base of it where that is enough."""
        if key(cls) in self._types or cls in MEMBERS or cls in ENUMS or cls in _FREE:
            return True
        return issubclass(cls, (Exception, *_BLENDERS))

    def may_read(self, thing: Any, name: str) -> bool:
        """Whether a script may read an attribute of an object that is not its own."""
        try:
            return bool(self._decide(LOAD, thing, name))
        except NotAllowed:
            return False

    def _written(self, cls: type) -> list[frozenset[str]]:
        return [self._stores.get(key(base), frozenset()) for base in type.mro(cls)]

    def _handle(self, kind: int, thing: Any, name: Any, value: Any) -> Any:
        if kind >= AGAIN:
            return self._older.again(kind - AGAIN, thing, name, value)
        if kind == FACTOR:
            return products.product(thing, value)
        if kind == MAKE:
            return making.made(thing, name, value)
        if kind == DELETE_ITEM:
            return mesh_removals.delete_weight(thing, name)
        if kind == ITEM:
            if isinstance(thing, type) or type(thing) is types.GenericAlias:
                return making.shallow(thing[name])  # type: ignore[index]
            return properties.part(thing, name, value)
        if type(thing) is super and kind == LOAD:
            return self._of_super(thing, name)
        if name == "format":
            return guards.format_of(thing)
        for one in (thing, value):
            if type(one) is _EDIT_BONE:
                indices.check_bone(one)
        if kind == STORE:
            if name == "name" and isinstance(thing, NAMED):
                return removals.renamed(thing, lambda: sizes.store(thing, name, value))
            if indices.is_index(type(thing), name):
                return indices.store(thing, name, value)
            changes = dynamic_types.changes_interface(type(thing), name)
            if changes or name in freed.STORED:
                interface = watches.Interface() if changes else nullcontext()
                with interface, freed.storing(thing) if name in freed.STORED else nullcontext():
                    return sizes.store(thing, name, value)
            if reached.grows(type(thing), name):
                return freed.growing(thing, name, lambda: sizes.store(thing, name, value))
            return sizes.store(thing, name, value)
        if kind == STORE_ITEM:
            return sizes.store_item(thing, name, value)
        if name == "__class__":
            return guards.ClassOf(type(thing))
        if type(thing) is dataclasses.Field:
            kind_of = thing.type
            return kind_of if type(kind_of) is str or self._is_given(kind_of) else str(kind_of)
        if name == "resize" and not isinstance(thing, _BLENDERS):
            return methods.resized(thing)
        if isinstance(thing, _BLENDERS):
            if name == "foreach_set":
                return bulk.foreach_set(thing, lambda cls, of: self._blender(STORE, cls, of))
            return blender_methods.member(thing, name)
        if name in _OF_MESHES and not isinstance(thing, type):
            if key(type(thing)) == "builtins.BMesh":
                return _OF_MESHES[name](thing)
            if name == "remove" and key(type(thing)) in mesh_removals.SEQUENCES:
                return mesh_removals.removing(thing)
            if name == "clear" and type(thing) is mesh_removals.WEIGHTS:
                return mesh_removals.weightless(thing)
        return _limited(thing, name)


def in_one_step(cls: type, name: str) -> Callable[..., Any] | None:
    """What ``thing.name(…)`` calls for objects of a type that is not the script's, where the type decides it."""
    if cls is _EDIT_BONE or name in ("__class__", "foreach_set", "pixels", "format"):
        return None
    if issubclass(cls, _BLENDERS):
        return blender_methods.in_one_step(cls, name)
    return _limit(cls, name)


_OF_MESHES: dict[str, Callable[[Any], Any]] = {
    "to_mesh": mesh_removals.to_mesh,
    "clear": mesh_removals.emptying,
    "remove": lambda mesh: mesh.remove,
}
"""Methods of a ``BMesh`` and its lists that take elements away."""


def is_foreign(cls: type) -> bool:
    """Whether a type belongs to libraries that do not expect to be called while they work."""
    module = cls.__module__
    return cls in _FOREIGN or module.partition(".")[0] in ("numpy", "bmesh", "mathutils") or issubclass(cls, _BLENDERS)


def calls_back(kind: int, cls: type, name: Any) -> bool:
    """Whether C could call the script in the middle of an access, or of a call of what it gives."""
    if kind in (STORE, ITEM, STORE_ITEM):
        return is_foreign(cls)
    asks = name in _OF_MESHES if cls in _FOREIGN else name in removals.ASKED and issubclass(cls, _BLENDERS)
    if kind != LOAD or asks or name.startswith("__") or not is_foreign(cls):
        return False
    if issubclass(cls, bpy.types.bpy_struct):
        return name not in cls.bl_rna.properties
    # The keys of a sort and the filter of a search are asked for before, or while nothing is held.
    return (
        name not in ("sort", "find")
        if cls in _FOREIGN
        else issubclass(cls, _BLENDERS) or callable(getattr(cls, name, None))
    )


_FOREIGN = frozenset(
    one
    for module in (mathutils, kdtree, bvhtree, bmesh.types)
    for one in vars(module).values()
    if isinstance(one, type)
)
"""Types of libraries whose modules do not say so in every Blender."""
_MODULES_OF_TYPES = frozenset({
    "builtins", "types", "numpy", "_bpy", "bpy_types", "_bpy_types", "bpy.types", __package__,
    *(f"{__package__}.{one}" for one in ("guards", "making", "removals", "modules", "membrane", "numeric", "older")),
    f"{__package__}.indices", f"{__package__}.mesh_removals", f"{__package__}.own_classes",
})  # fmt: skip
"""Modules whose types no library makes for itself while the script's frame runs."""


def _has(thing: Any, name: Any) -> bool:
    """Whether an object of Blender's has an attribute, whether or not a script may use it."""
    if type(name) is not str or any(name in base.__dict__ for base in type.mro(type(thing))):
        return True
    described = getattr(thing, "bl_rna", None)
    return described is None or name in described.properties or name in described.functions


def _limit(cls: type, name: Any) -> Callable[..., Any] | None:
    """The limited form of a method of a class; none if it has no limit, or a class of the script overrides it."""
    if name not in methods.LIMITED_NAMES:
        return None
    for base in type.mro(cls):
        if name in base.__dict__:
            return methods.LIMITED.get(key(base), {}).get(name)
    return None


def _limited(thing: Any, name: str) -> Any:
    if isinstance(thing, type):
        return _limit(thing, name)
    found = _limit(type(thing), name)
    return getattr(thing, name) if found is None else lambda *args, **kwargs: found(thing, *args, **kwargs)


def _of_metaclass(thing: type, name: str) -> bool:
    """Whether a class has an attribute from its metaclass (`register`, `mro`), which no list knows."""
    if name.startswith("__"):
        return False
    for base in type.mro(type(thing)):
        if name in base.__dict__:
            own = any(name in one.__dict__ for one in type.mro(thing))
            return not own or hasattr(base.__dict__[name], "__set__")
    return False


_INSTANCES_ONLY = frozenset({
    "numpy.ndarray", "numpy.void", "enum.Enum", "enum.IntEnum", "enum.Flag", "enum.IntFlag", "enum.StrEnum",
    "types.SimpleNamespace",
})  # fmt: skip
"""Classes that are replaced (``guards``, ``numeric``), since calling them could use memory, code or names unchecked."""
_MAKING = frozenset({"__init__", "__init_subclass__"})
"""Methods that make an object anew, whatever limits it was made with."""
_FREE = frozenset({ModuleType, FunctionType, super})
"""Types whose objects are judged by identity, or by the name."""
MEMBERS: dict[type, frozenset[str]] = {
    library.ChainMap: frozenset(),
    making.OrderedDict: frozenset(
        {
            "clear",
            "copy",
            "fromkeys",
            "get",
            "items",
            "keys",
            "move_to_end",
            "pop",
            "popitem",
            "setdefault",
            "update",
            "values",
        }
    ),
    guards.ClassOf: frozenset({"__name__"}),
    library.Memo: frozenset({"get"}),
    library.SimpleNamespace: frozenset({"*"}),
    library.Tree: frozenset({"insert", "balance", "find", "find_n", "find_range"}),
    properties.Group: frozenset(
        {
            "clear",
            "get",
            "items",
            "keys",
            "name",
            "pop",
            "to_dict",
            "update",
            "values",
        }
    ),
    properties.Values: frozenset({"to_list", "typecode"}),
    pictures.Channels: frozenset({"foreach_get", "foreach_set"}),
    properties.Shown: frozenset({"as_dict", "clear", "update"}),
    removals.Removal: frozenset(),
    mesh_removals.Deleting: frozenset(),
    older.Sockets: frozenset({"new"}),
    indices.Offsets: frozenset({"foreach_get"}),
    indices.Indices: frozenset({"foreach_get", "foreach_set"}),
    indices.Offset: frozenset({"value"}),
}
"""Our own classes whose instances a script may have, with the attributes that it may read."""
