# SPDX-License-Identifier: GPL-3.0-or-later
"""Removals that the text of a script does not show, so that nobody was asked about them.

The core's rules ask about each removal that they can read (``rust/script/src/rules/removals.rs``). What a script
removes is only certain when it does: here a method that removes data-blocks is stopped where those were in the file
before the script, unless the rules asked about this place or a trial has listed what is removed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable
from typing import Any

import bpy

from ..host import census
from . import dynamic_types, freed
from .errors import Guarded

METHODS = frozenset({
    "remove", "batch_remove", "orphans_purge", "user_remap", "user_clear", "clear_geometry", "unlink", "clear",
    "animation_data_clear", "shape_key_clear", "shape_key_remove", "driver_remove",
})  # fmt: skip
"""Methods of Blender's data that are looked at."""
ASKED = METHODS | {"to_mesh"}
"""Methods that remove freely where the artist was asked about the line."""
PARTS = frozenset({
    "ObjectModifiers", "ObjectConstraints", "PoseBoneConstraints", "VertexGroups", "AnimDataDrivers", "Nodes",
    "NodeTreeInterface",
})  # fmt: skip
"""Lists in a data-block from which nothing is removed unasked; a list of others (of links, of keys) may be changed."""


class _Script:
    """What is known of the script that runs."""

    newest = 0
    """The highest ``session_uid`` when it began; what it makes has a higher one."""
    removable: Collection[int] | None = ()
    shown: frozenset[int] = frozenset()
    """The objects in the scenes when it began."""

    def __init__(self) -> None:
        self.unlinked: dict[int, str] = {}
        """Objects that it took out of a collection, with their names."""
        self.parts: set[int] = set()
        """The addresses of the parts that it added to something."""
        self.read: dict[int, tuple[Any, set[int]]] = {}
        """Its ``BMesh`` objects, with the ``session_uid`` of the meshes that they were read from."""
        self.part_names: census.Census = {}
        """The parts of data-blocks when it began."""
        self.blocks: dict[int, str] = {}
        """The data-blocks when it began, with their names."""
        self.used: dict[int, str] = {}
        """The data-blocks that something used when it began, with kind and name."""
        self.asked = False
        """Whether the artist was asked about a removal somewhere in its text."""
        self.answering = 0
        """How many of its objects are being asked for an item or a length, perhaps by C in the middle of something."""


_script = _Script()


def begin(removable: Collection[int] | None, asked: bool) -> None:
    """Called before the first line of a script.

    ``removable``: the ``session_uid`` of what may be removed unasked; None: everything. ``asked``: whether the artist
    was asked about a removal somewhere in its text.
    """
    _script.blocks = census.everything()
    _script.newest = max((*_script.blocks, *census.trees_in_blocks()), default=0)
    _script.used = census.used()
    _script.removable = removable
    _script.asked = asked
    bound = removable is None or asked or census.ANY_PART in removable
    _script.part_names = {} if bound else census.parts()
    _script.parts.clear()
    _script.read.clear()
    _script.shown = frozenset() if removable is None else census.in_scenes()
    _script.unlinked.clear()
    _script.answering = 0


def answering(method: Callable[..., Any]) -> Callable[..., Any]:
    """``__getitem__`` or ``__len__`` of a script's class, in which nothing can be removed: whoever asks may hold it."""

    @functools.wraps(method)
    def answered(*args: Any) -> Any:
        _script.answering += 1
        try:
            return method(*args)
        finally:
            _script.answering -= 1

    return answered


def outside(remove: Callable[..., Any]) -> Callable[..., Any]:
    """A function that removes or frees, but not while an object of the script is asked for an item."""

    def called(*args: Any, **kwargs: Any) -> Any:
        if _script.answering:
            raise Guarded("__getitem__ and __len__ may not remove anything: Blender may be using it at that moment.")
        return remove(*args, **kwargs)

    return called


class Removal:
    """A method that removes, as a script has it: when it is called, it checks what it would remove."""

    # No script can use names like these, not even for its own attributes.
    __slots__ = ("__check__", "__real__")

    def __init__(self, real: Callable[..., Any], check: Callable[..., tuple[Any, ...]]) -> None:
        self.__real__ = real
        self.__check__ = check

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Removes, or raises ``Guarded``."""
        return outside(self.__real__)(*self.__check__(*args, **kwargs), **kwargs)


def asked(found: Any) -> Any:
    """The method itself, for a place that the artist was asked about."""
    return outside(found.__real__) if type(found) is Removal else found


def method(thing: Any, name: str) -> Any:
    """``thing.name`` for a name in ``METHODS``."""
    found = getattr(thing, name)
    if not callable(found):
        return found
    whole = getattr(thing, "bl_rna", None)
    kind = whole.identifier if whole is not None else ""
    found = freed.watched(found, thing, evaluates=kind in ("ViewLayers", "BlendDataScenes"))
    if dynamic_types.changes_interface(type(thing), name):
        found = freed.interface(found)
    if _script.removable is None:
        return outside(found)
    if isinstance(thing, bpy.types.ID):
        return Removal(found, lambda *args, **_: _unless_asked([thing], name, args))
    if name == "driver_remove":
        return Removal(found, lambda *args, **_: _unless_asked([thing.id_data], name, args))
    if kind == "CollectionObjects" and name == "unlink":
        return Removal(found, _remembered)
    if kind == "CollectionChildren" and name == "unlink":
        return Removal(found, _remembered_all)
    if kind in PARTS and name in ("remove", "clear"):
        return Removal(found, lambda *args, **kwargs: _unless_made(thing, name, args, kwargs))
    if not kind.startswith("BlendData"):
        return outside(found)
    if name == "orphans_purge":
        return Removal(found, lambda *args, **_: _purged(args))
    return Removal(found, lambda *args, **kwargs: _unless_asked(_given(args, kwargs), name, args))


def from_mesh(mesh: Any, *args: Any, **kwargs: Any) -> Any:
    """``BMesh.from_mesh``; what was read from a mesh may replace it."""
    _read_from(mesh, kwargs.get("mesh", args[0] if args else None))
    return mesh.from_mesh(*args, **kwargs)


def from_object(mesh: Any, *args: Any, **kwargs: Any) -> Any:
    """``BMesh.from_object``."""
    _read_from(mesh, getattr(kwargs.get("object", args[0] if args else None), "data", None))
    return mesh.from_object(*args, **kwargs)


def copied(mesh: Any) -> Any:
    """``BMesh.copy``."""
    found = mesh.copy()
    if id(mesh) in _script.read:
        _script.read[id(found)] = found, set(_script.read[id(mesh)][1])
    return found


def _read_from(mesh: Any, source: Any) -> None:
    if isinstance(source, bpy.types.ID):
        _script.read.setdefault(id(mesh), (mesh, set()))[1].add(source.session_uid)


def to_mesh(mesh: Any) -> Any:
    """``BMesh.to_mesh``: nothing of a mesh that was there is left, unless it was read from that mesh."""

    def check(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
        target = kwargs.get("mesh", args[0] if args else None)
        if isinstance(target, bpy.types.Mesh) and len(target.vertices):
            read = _script.read.get(id(mesh), (None, ()))[1]
            if not len(mesh.verts) or target.session_uid not in read:
                _unless_asked([target], "to_mesh", args)
        return args

    write = freed.watched(mesh.to_mesh, None)
    return write if _script.removable is None else Removal(write, check)


def _given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The data-blocks among the arguments, or in the list that is one."""
    found: list[Any] = []
    for one in (*args, *kwargs.values()):
        if isinstance(one, bpy.types.ID):
            found.append(one)
        elif isinstance(one, list | tuple | set | frozenset | bpy.types.bpy_prop_collection):
            found.extend(each for each in one if isinstance(each, bpy.types.ID))
        elif isinstance(one, Iterable) and not isinstance(one, str | dict):
            raise Guarded("Give the data to remove as a list.")
    return found


def _unless_made(parts: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Parts that the script added may be removed, those that were there only where the artist could be asked."""
    if census.ANY_PART in (_script.removable or ()):
        return args
    if name == "remove":
        given = [*args, *kwargs.values()]
    else:
        given = list(parts.items_tree if hasattr(parts, "items_tree") else parts)
    if any(_existed(parts.id_data) and one.as_pointer() not in _script.parts for one in given if hasattr(one, "name")):
        what = census.of_tree(parts) or "parts"
        raise Guarded(
            f"{name}() would remove {what} of {parts.id_data.name!r} that were there before, which nobody was asked "
            "about. Write the removal out, as in obj.modifiers.remove(…), so that the artist can be asked."
        )
    _script.parts.difference_update(one.as_pointer() for one in given if hasattr(one, "as_pointer"))
    return args


def made(part: Any) -> Any:
    """Records a part that the script has added to something."""
    if hasattr(part, "as_pointer"):
        _script.parts.add(part.as_pointer())
    return part


def _existed(block: Any) -> bool:
    return block.session_uid <= _script.newest and (
        _script.removable is not None and block.session_uid not in _script.removable
    )


def _unless_asked(blocks: Iterable[Any], name: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
    for block in blocks:
        if _existed(block):
            raise Guarded(
                f"{name}() would remove {block.name!r} or its content, which nobody was asked about: it was there "
                "before the script. Write the removal out, as in bpy.data.objects.remove(…) or bpy.data.meshes[…]."
                "clear_geometry(), so that the artist can be asked."
            )
    return args


def _purged(args: tuple[Any, ...]) -> tuple[Any, ...]:
    raise Guarded("Write out bpy.data.orphans_purge(), so that the artist can be asked.")


def _remembered(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    for one in (*args, *kwargs.values()):
        if isinstance(one, bpy.types.Object):
            _remember([one])
    return args


def _remembered_all(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    for one in (*args, *kwargs.values()):
        if isinstance(one, bpy.types.Collection):
            _remember(one.all_objects)
    return args


def _remember(objects: Iterable[Any]) -> None:
    _script.unlinked.update((obj.session_uid, obj.name) for obj in objects if _existed(obj))


def abandoned() -> list[str]:
    """What was used before the script and is not any more: it stays until the file is saved, which leaves it out."""
    left, now = census.everything(), census.used()
    return sorted(name for uid, name in _script.used.items() if uid in left and uid not in now)


def finish() -> None:
    """Raises ``Guarded`` if what was there before is gone, or in no scene any more, and nobody was asked."""
    if _script.removable is None:
        return
    left = census.everything().keys()
    _check_shown(left)
    if not _script.asked:
        gone = _script.blocks.keys() - left - set(_script.removable)
        if gone:
            names = ", ".join(sorted(repr(_script.blocks[uid]) for uid in gone)[: census.SHOWN_NAMES])
            raise Guarded(f"It would have removed {names}, which nobody was asked about.")
        fewer = census.lost(_script.part_names, census.parts(), left) if _script.part_names else []
        if fewer:
            raise Guarded(
                f"It would have removed parts that were there before ({'; '.join(fewer)}), which nobody was asked "
                "about. Write the removal out, as in obj.modifiers.remove(…), so that the artist can be asked."
            )


def _check_shown(left: Collection[int]) -> None:
    """Raises if objects are in no scene any more, whatever took them out. Where the artist was asked about a removal,
    objects may have been in the scene by what was removed, so only those count that the script unlinked itself.
    """
    removable = set(_script.removable or ())
    lost = (_script.shown & set(left)) - census.in_scenes() - removable
    if _script.asked:
        lost &= _script.unlinked.keys()
    if lost:
        names = ", ".join(sorted(repr(_script.blocks[uid]) for uid in lost)[: census.SHOWN_NAMES])
        raise Guarded(
            f"{names} would be in no scene any more. Link it to another collection; to remove it write "
            "bpy.data.objects.remove(…), so that the artist can be asked."
        )
