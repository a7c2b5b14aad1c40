# SPDX-License-Identifier: GPL-3.0-or-later
"""Removals that the text of a script does not show, so that nobody was asked about them.

The core's rules ask about every removal that they can read (``rust/script/src/rules/removals.rs``). What a script
removes is only certain when it does: here a method that removes data-blocks is stopped where those were in the file
before the script, unless the rules asked about this place or a trial has listed what is removed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import bpy

from ..host import census
from .errors import Guarded

METHODS = frozenset({
    "remove", "batch_remove", "orphans_purge", "user_remap", "user_clear", "clear_geometry", "unlink",
})  # fmt: skip
"""Methods of Blender's data that are looked at; those of lists in a data-block (its nodes, its modifiers) pass."""


class _Script:
    """What is known of the script that runs."""

    newest = 0
    """The highest ``session_uid`` when it began; what it makes has a higher one."""
    removable: Collection[int] | None = ()
    shown: frozenset[int] = frozenset()
    """The objects in the scenes before it took the first one out of a collection."""

    def __init__(self) -> None:
        self.unlinked: dict[int, str] = {}
        """Objects that it took out of a collection, with their names."""


_script = _Script()


def begin(removable: Collection[int] | None) -> None:
    """Called before the first line of a script.

    ``removable``: the ``session_uid`` of what may be removed unasked; None: everything.
    """
    _script.newest = census.newest()
    _script.removable = removable
    _script.shown = frozenset()
    _script.unlinked.clear()


class Removal:
    """A method that removes, as a script has it: when it is called, it checks what it would remove."""

    # No script can use names like these, not even for its own attributes.
    __slots__ = ("__check__", "__real__")

    def __init__(self, real: Callable[..., Any], check: Callable[..., tuple[Any, ...]]) -> None:
        self.__real__ = real
        self.__check__ = check

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Removes, or raises ``Guarded``."""
        return self.__real__(*self.__check__(*args, **kwargs), **kwargs)


def asked(found: Any) -> Any:
    """The method itself, for a place that the artist was asked about."""
    return found.__real__ if type(found) is Removal else found


def method(thing: Any, name: str) -> Any:
    """``thing.name`` for a name in ``METHODS``."""
    found = getattr(thing, name)
    if _script.removable is None or not callable(found):
        return found
    whole = getattr(thing, "bl_rna", None)
    kind = whole.identifier if whole is not None else ""
    if isinstance(thing, bpy.types.ID):
        return Removal(found, lambda *args, **_: _unless_asked([thing], name, args))
    if kind == "CollectionObjects" and name == "unlink":
        return Removal(found, _remembered)
    if kind == "CollectionChildren" and name == "unlink":
        return Removal(found, _remembered_all)
    if not kind.startswith("BlendData"):
        return found
    if name == "orphans_purge":
        return Removal(found, lambda *args, **_: _purged(args))
    return Removal(found, lambda *args, **kwargs: _unless_asked(_given(args, kwargs), name, args))


def to_mesh(mesh: Any) -> Any:
    """``BMesh.to_mesh``: an empty one would leave nothing of a mesh that was there."""

    def check(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
        target = kwargs.get("mesh", args[0] if args else None)
        if isinstance(target, bpy.types.Mesh) and len(target.vertices) and not len(mesh.verts):
            _unless_asked([target], "to_mesh", args)
        return args

    return mesh.to_mesh if _script.removable is None else Removal(mesh.to_mesh, check)


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
    if not _script.unlinked:
        _script.shown = census.in_scenes()
    _script.unlinked.update((obj.session_uid, obj.name) for obj in objects if _existed(obj))


def finish() -> None:
    """Raises ``Guarded`` if objects that were in a scene before are in none after the script."""
    if not _script.unlinked:
        return
    lost = (_script.unlinked.keys() & _script.shown & census.everything()) - census.in_scenes()
    if lost:
        names = ", ".join(sorted(repr(_script.unlinked[uid]) for uid in lost)[: census.SHOWN_NAMES])
        raise Guarded(
            f"{names} would be in no scene any more. Link it to another collection; to remove it write "
            "bpy.data.objects.remove(…), so that the artist can be asked."
        )
