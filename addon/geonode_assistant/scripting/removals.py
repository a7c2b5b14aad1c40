# SPDX-License-Identifier: GPL-3.0-or-later
"""What a script takes away, decided when it does so: what it has made itself is its own, all else is the artist's.

The core's rules ask about each removal that they can read (``rust/script/src/rules/removals.rs``). Here a method that
removes what was there before the script is stopped, unless the rules asked about this place or a trial has listed what
is removed. After the last line, whatever is gone must have been asked about, thing by thing, however it went.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import bpy

from .. import native
from ..host import belongings, census, told
from . import absent, dynamic_types, freed, policy
from .errors import Guarded, Unasked

_REVIEWED = frozenset({
    "remove", "batch_remove", "orphans_purge", "user_remap", "user_clear", "clear_geometry", "unlink", "clear",
    "animation_data_clear", "asset_clear", "shape_key_clear", "shape_key_remove", "driver_remove",
    "remove_gpencil_data", "vertex_group_remove",
})  # fmt: skip
_ENCLOSED = frozenset({"pop", "keyframe_delete", "delete_frame", "remove_strokes", "remove_curves"})
"""Methods that are given numbers and texts only."""
METHODS = _REVIEWED | _ENCLOSED
"""Methods of Blender's data that are looked at."""
ASKED = METHODS | {"to_mesh"}
"""Methods that remove freely where the artist was asked about the line."""
MAKING = frozenset({"new", "add", "append", "insert", "new_socket", "new_panel", "new_from_fcurve"})
"""Methods of lists that return a new part."""
_AT_THE_END = frozenset({"IDMaterials", "NodeLinks", "FCurveKeyframePoints"})
"""Lists whose parts are often replaced: only what is missing after the last line counts."""
_BLOCK = "data"
"""The kind of a data-block, as of a part."""
_PART_TYPES = tuple(
    getattr(bpy.types, name)
    for name in ("Modifier", "Constraint", "FCurve", "Driver", "Node", "NlaTrack", "NlaStrip", "GreasePencilLayer")
    if hasattr(bpy.types, name)
)
"""Types of parts with parts of their own, all of which are known (``belongings``)."""
_OUTER = re.compile(r'\w+\["(?:[^"\\]|\\.)*"\]')
_EXCEPTED = "Write the removal out, as in {}, so that the artist can be asked."


class _Script:
    """What is known of the script that runs."""

    newest = 0
    """The highest ``session_uid`` when it began; what it makes has a higher one."""
    removable: Collection[int] | None = ()

    def __init__(self) -> None:
        self.made: set[int] = set()
        """The addresses of the parts that it added to something."""
        self.there: belongings.Belongings = {}
        """What belonged to the data-blocks when it began."""
        self.addresses: frozenset[int] = frozenset()
        """Where the parts of these were."""
        self.asked: set[belongings.Key] = set()
        """What went where the artist was asked."""
        self.refused: list[str] = []
        """What it tried to remove unasked, whether or not it went on."""
        self.blocks: dict[int, str] = {}
        """The data-blocks when it began, with their names."""
        self.used: set[int] = set()
        """The data-blocks that something used when it began."""
        self.answering = 0
        """How many of its objects are being asked for an item or a length, perhaps by C in the middle of something."""


_script = _Script()


def is_free() -> bool:
    """Whether the script may remove everything."""
    return _script.removable is None


def begin(removable: Collection[int] | None) -> None:
    """Called before the first line of a script. ``removable``: the ``session_uid`` of what may be removed unasked;
    None: everything.
    """
    vars(_script).update(vars(_Script()))
    _script.blocks = census.everything()
    _script.newest = max((*_script.blocks, *belongings.owners_of_trees()), default=0)
    _script.used = census.used()
    _script.removable = removable
    if not _parts_are_free():
        _script.there = belongings.of_file()
        _script.addresses = frozenset(key[2] for key in _script.there if len(key) > 2 and type(key[2]) is int)


def _parts_are_free() -> bool:
    """Whether parts of data-blocks may be removed: everything may, or a trial has named the parts."""
    return _script.removable is None or census.ANY_PART in _script.removable


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
    __slots__ = ("__check__", "__of__", "__real__")

    def __init__(self, real: Callable[..., Any], check: Callable[..., Any], of: Any) -> None:
        self.__real__ = real
        self.__check__ = check
        self.__of__ = of

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Removes, or raises ``Unasked``."""
        self.__check__(*args, **kwargs)
        return outside(self.__real__)(*args, **kwargs)

    def __asked__(self) -> Callable[..., Any]:
        """The same for a place that the artist was asked about."""

        def removed(*args: Any, **kwargs: Any) -> Any:
            with _asked(self.__of__, (*args, *kwargs.values())):
                return outside(self.__real__)(*args, **kwargs)

        return removed


def asked(found: Any) -> Any:
    """What removes, for a place that the artist was asked about."""
    ask = getattr(type(found), "__asked__", None)
    return found if ask is None else ask(found)


def method(thing: Any, name: str) -> Any:
    """``thing.name`` for a name in ``METHODS``."""
    found = getattr(thing, name)
    if not callable(found):
        return found
    whole = getattr(thing, "bl_rna", None)
    kind = whole.identifier if whole is not None else ""
    found = functools.partial(_real(kind, name, dynamic_types.changes_interface(type(thing), name)), thing)
    if _script.removable is None:
        return outside(found)
    return Removal(found, _check_of(thing, name, kind), thing)


@functools.cache
def _real(kind: str, name: str, changes_interface: bool) -> Callable[..., Any]:
    """A method that removes, as a function of the object, without looking whether it may."""

    def removed(thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(thing, name)(*args, **kwargs)

    def enclosed(thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        return native.core().call_enclosed(getattr(thing, name), *args, **kwargs)

    found = absent.checked(enclosed if name in _ENCLOSED else removed, kind, name)
    found = freed.watched(found, kind, evaluates=kind in ("ViewLayers", "BlendDataScenes"))
    return freed.interface(found) if changes_interface else found


def _check_of(thing: Any, name: str, kind: str) -> Callable[..., Any]:
    """What is looked at before a method removes."""
    if name in _OF_PARTS:
        return lambda *args, **kwargs: _OF_PARTS[name](thing, *args, **kwargs)
    if isinstance(thing, bpy.types.ID) and name in _REVIEWED:
        return lambda *_, **__: unless_asked([thing], name)
    if kind.startswith("BlendData"):
        if name == "orphans_purge":
            return lambda *_, **__: unless_asked(_unused(), name)
        return lambda *args, **kwargs: unless_asked(_given(args, kwargs), name)
    if name == "vertex_group_remove":
        return lambda *_, **__: unless_asked([thing.id_data], name)
    if isinstance(thing, bpy.types.VertexGroup):
        return lambda *_, **__: _unless_own_weights(thing)
    if isinstance(thing, bpy.types.bpy_prop_collection) and name in ("remove", "clear", "pop"):
        return lambda *args, **kwargs: _unless_made(thing, name, args, kwargs)
    return lambda *_, **__: None


# -- what was asked


@contextmanager
def _asked(thing: Any, given: Iterable[Any]) -> Iterator[None]:
    """While something is removed that the artist was asked about: what goes is remembered as asked about."""
    kind = getattr(getattr(thing, "bl_rna", None), "identifier", "")
    if kind.startswith("BlendData"):
        # Objects go with their data, and shape keys with theirs.
        lists = [thing, *map(census.every, ("objects", "shape_keys"))] if kind != "BlendData" else None
        with _noted([], lists, places=kind in ("BlendDataObjects", "BlendDataCollections", "BlendDataScenes")):
            yield
        return
    owners = [getattr(thing, "id_data", None), *(one for one in given if isinstance(one, bpy.types.ID))]
    everywhere = isinstance(thing, bpy.types.ID | bpy.types.NodeTreeInterface)
    with _noted(belongings.with_actions(owners), None if everywhere else [], places=False):
        yield


@contextmanager
def _noted(owners: list[Any], lists: Iterable[Any] | None, places: bool) -> Iterator[None]:
    """Remembers as asked about what goes: of these data-blocks, of those in these lists (None: in all), of scenes."""
    before = _seen(owners, lists, places)
    try:
        yield
    finally:
        after = _seen(owners, lists, places)
        fewer = {key for key, count in before.items() if after.get(key, 0) < count}
        _script.asked |= {key for key in fewer if key[0] == _BLOCK or key in _script.there}


def _seen(owners: list[Any], lists: Iterable[Any] | None, places: bool) -> dict[belongings.Key, int]:
    found: dict[belongings.Key, int] = {(_BLOCK, uid): 1 for uid in belongings.uids(lists)}
    if places:
        found.update(((belongings.PLACE, uid), 1) for uid in census.in_scenes())
    for owner in owners:
        try:
            found.update((key, count) for key, (_, count) in belongings.of(owner))
        except ReferenceError:
            continue  # it is gone itself
    found.update((key, count) for key, (_, count) in belongings.weights(_objects_of(owners)))
    return found


def _objects_of(blocks: Iterable[Any]) -> list[Any]:
    """The objects among these data-blocks, and those whose data is among them."""
    uids = set()
    for block in blocks:
        with suppress(ReferenceError):
            uids.add(getattr(block, "session_uid", 0))
    objects = census.every("objects") if uids else ()
    return [obj for obj in objects if obj.session_uid in uids or getattr(obj.data, "session_uid", 0) in uids]


def lessen(meshes: Iterable[Any], kinds: Collection[str]) -> None:
    """Remembers as asked about that there is less of these meshes, whenever that is written into them."""
    if not _script.there:
        return
    uids = {mesh.session_uid for mesh in meshes}
    objects = {obj.session_uid for obj in census.every("objects") if getattr(obj.data, "session_uid", 0) in uids}
    _script.asked |= {key for key in _script.there if key[0] in kinds and key[1] in uids | objects}


# -- operators

_CONSUMING = frozenset({"object.convert", "object.join"})
"""Operators that make something else of what is selected."""
_CONVERTING = "geometry.attribute_convert"
_MERGING = frozenset({"mesh.remove_doubles", "mesh.dissolve_degenerate"})
DOUBLES = frozenset({"points", belongings.WEIGHTS})
"""What there is less of when vertices that lie in the same place are merged."""
_NEAR = 1e-3


def is_near(distance: Any) -> bool:
    """Whether vertices that are so far apart lie in the same place for an artist; the core's rules say the same."""
    return isinstance(distance, int | float) and distance <= _NEAR


def operator(name: str, consented: bool, given: dict[str, Any], act: Callable[[], Any]) -> Any:
    """Calls an operator with the properties ``given``; ``consented``: where the artist was asked about it."""
    if _parts_are_free():
        return act()
    if consented:
        with _noted(belongings.owners_in_context(), None, places=True):
            return act()
    if name in policy.policy().removing_operators:
        _check_selected(name)
    if name in _MERGING and is_near(given.get("threshold", 0.0)):
        edited = [obj.data for obj in getattr(bpy.context, "objects_in_mode", None) or ()]
        lessen((one for one in edited if isinstance(one, bpy.types.Mesh)), DOUBLES)
    return act()


def _check_selected(name: str) -> None:
    """Raises where an operator would take away from the content of what was there; what it removes as a whole is seen
    afterwards.
    """
    context: Any = bpy.context
    edited = list(context.objects_in_mode or ()) if context.mode != "OBJECT" else []
    blocks = [obj.data for obj in edited if obj.data is not None]
    if name in _CONSUMING:
        blocks += [*(context.selected_objects or ())]
    if name == _CONVERTING:
        blocks += [data for obj in [context.active_object] if (data := getattr(obj, "data", None)) is not None]
    unless_asked(blocks, f"bpy.ops.{name}")


# -- data-blocks


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


def existed(block: Any) -> bool:
    return block.session_uid <= _script.newest and (
        _script.removable is not None and block.session_uid not in _script.removable
    )


def _refuse(text: str, example: str) -> None:
    """Stops a removal that nobody was asked about."""
    _script.refused.append(text)
    raise Unasked(f"{text}, which nobody was asked about. {_EXCEPTED.format(example)}")


def unless_asked(blocks: Iterable[Any], name: str) -> None:
    for block in blocks:
        if existed(block):
            _refuse(
                f"{name}() would remove {block.name!r} or its content, which was there before the script",
                "bpy.data.objects.remove(…) or bpy.data.meshes[…].clear_geometry()",
            )


def _unused() -> list[Any]:
    return [one for _, blocks in belongings.lists() for one in blocks if not one.users]


# -- parts


def making(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a list, as a function of it, that makes a part, which is the script's own."""

    def called(parts: Any, /, *args: Any, **kwargs: Any) -> Any:
        return made(function(parts, *args, **kwargs))

    return called


def made(part: Any) -> Any:
    """Records a part that the script has added to something."""
    if isinstance(part, bpy.types.bpy_struct) and not isinstance(part, bpy.types.ID):
        _script.made.add(part.as_pointer())
    return part


def renamed(part: Any, store: Callable[[], None]) -> None:
    """Gives a part another name where parts are known by their names (``belongings.NAMED``); it is still the same."""
    keys = [(kind, part.id_data.session_uid, part.name) for kind in belongings.NAMED_KINDS]
    store()
    for key in _script.there.keys() & keys:
        known = _script.there.pop(key)
        _script.there[(*key[:2], part.name)] = known


def _unless_made(parts: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Parts that the script added may be removed, those that were there only where the artist could be asked."""
    if _parts_are_free() or parts.bl_rna.identifier in _AT_THE_END:
        return
    if name == "remove":
        given = [one for one in (*args, *kwargs.values()) if isinstance(one, bpy.types.bpy_struct)]
    else:
        given = list(parts.items_tree if hasattr(parts, "items_tree") else parts)
    for one in given:
        if _is_artists(parts, one):
            owner = _owners().get(parts.id_data.session_uid, parts.id_data.name)
            _refuse(
                f"{name}() would remove {_called(parts)} of {owner!r} that were there before", "obj.modifiers.remove(…)"
            )
    _script.made.difference_update(one.as_pointer() for one in given)


def _unless_own_weights(group: Any) -> None:
    """``VertexGroup.remove``: the weights of a group that was there, whichever vertices are given."""
    key = ("vertex_groups", group.id_data.session_uid, group.name)
    if key in _script.there and key not in _script.asked and existed(group.id_data):
        _refuse(
            f"remove() would take weights of {group.name!r} of {group.id_data.name!r} that were there before",
            'obj.vertex_groups["Group"].remove(…)',
        )


def _called(parts: Any) -> str:
    """What the parts in a list are called."""
    kind = belongings.kind_of(parts)[0]
    try:
        return (kind or parts.path_from_id().rpartition(".")[2]).replace("_", " ")
    except ValueError:
        return "parts"


def _owners() -> dict[int, str]:
    return {**_script.blocks, **{uid: block.name for uid, block in belongings.owners_of_trees().items()}}


def _is_artists(parts: Any, one: Any) -> bool:
    """Whether a part was there before the script."""
    if not existed(parts.id_data):
        return False
    key = belongings.key_of(parts, one)
    if key is not None:
        return key in _script.there and key not in _script.asked
    return one.as_pointer() not in _script.made and not any(map(_is_own, _holders(parts)))


def _is_own(holder: Any) -> bool:
    if isinstance(holder, bpy.types.Driver):
        drivers = getattr(holder.id_data, "animation_data").drivers  # noqa: B009  not every data-block has one
        holder = next((one for one in drivers if one.driver.as_pointer() == holder.as_pointer()), holder)
    address = holder.as_pointer()
    return address in _script.made or isinstance(holder, _PART_TYPES) and address not in _script.addresses


def _holders(parts: Any) -> Iterator[Any]:
    """What a list is a part of, from the inside to the outside."""
    inner = getattr(parts, "data", None)
    if isinstance(inner, bpy.types.bpy_struct) and not isinstance(inner, bpy.types.ID):
        yield inner
        try:
            outer = _OUTER.match(inner.path_from_id())
            found = parts.id_data.path_resolve(outer.group()) if outer else None
        except ValueError:
            return
        if isinstance(found, bpy.types.bpy_struct):
            yield found


def _unless_own_animation(block: Any, *_: Any, **__: Any) -> None:
    data = getattr(block, "animation_data", None)
    if data is None or not existed(block):
        return
    keys = {key for key, _ in belongings.of(block) if key[0] in ("drivers", "nla_tracks")}
    if keys & _script.there.keys() or data.action is not None and existed(data.action):
        unless_asked([block], "animation_data_clear")


def _unless_own_keys(obj: Any, *given: Any, name: str = "shape_key_clear", **more: Any) -> None:
    keys = getattr(obj.data, "shape_keys", None)
    if keys is None:
        return
    wanted = [one for one in (*given, *more.values()) if isinstance(one, bpy.types.ShapeKey)] or keys.key_blocks
    if any(("shape_keys", keys.session_uid, one.as_pointer()) in _script.there for one in wanted):
        unless_asked([obj], name)


def _unless_own_driver(thing: Any, path: Any = "", *_: Any, **__: Any) -> None:
    block = thing.id_data
    data = getattr(block, "animation_data", None)
    for curve in data.drivers if data is not None else ():
        if curve.data_path.endswith(str(path)) and ("drivers", block.session_uid, curve.as_pointer()) in _script.there:
            unless_asked([block], "driver_remove")


_OF_PARTS: dict[str, Callable[..., None]] = {
    "animation_data_clear": _unless_own_animation,
    "shape_key_clear": _unless_own_keys,
    "shape_key_remove": functools.partial(_unless_own_keys, name="shape_key_remove"),
    "driver_remove": _unless_own_driver,
}
"""Methods of a data-block that remove only some of its parts."""


# -- after the last line


def abandoned() -> list[str]:
    """What was used before the script and is not any more: it stays until the file is saved, which leaves it out."""
    now = _script.used - census.used()
    return sorted(census.called(now)) if now else []


def finish() -> None:
    """Raises ``Unasked`` if what was there before is gone, or in no scene any more, and nobody was asked about it."""
    if _script.removable is None:
        return
    if _script.refused:
        raise Unasked(f"{_script.refused[0]}, which nobody was asked about.")
    left = belongings.uids()
    gone = {uid for uid in _script.blocks.keys() - left - set(_script.removable) if (_BLOCK, uid) not in _script.asked}
    if gone:
        raise Unasked(f"It would have removed {_listed(map(_quoted, gone))}, which nobody was asked about.")
    if not _script.there:
        return
    left = (left | belongings.owners_of_trees().keys()) - set(_script.removable)
    lost = belongings.lost(_script.there, belongings.of_file(), left)
    missing = {key: name for key, (name, _) in lost.items() if key not in _script.asked}
    missing = {key: name for key, name in missing.items() if key[0] != "links" or _is_open(key)}
    hidden = [key[1] for key in missing if key[0] == belongings.PLACE]
    if hidden:
        raise Unasked(
            f"{_listed(map(_quoted, hidden))} would be in no scene any more. Link it to another collection; to remove "
            "it write bpy.data.objects.remove(…), so that the artist can be asked."
        )
    if missing:
        kinds = sorted({key[0] for key in missing})
        words = "; ".join(f"{kind.replace('_', ' ')}: {_listed(_told(missing, kind))}" for kind in kinds)
        raise Unasked(
            f"It would have removed parts that were there before ({words}), which nobody was asked about. "
            f"{_EXCEPTED.format(_examples(kinds))}"
        )


def _examples(kinds: list[str]) -> str:
    """How what was lost can be removed so that the artist is asked."""
    of_mesh = belongings.ELEMENTS | {belongings.WEIGHTS}
    return "bmesh.ops.delete(…) or bpy.ops.mesh.delete()" if of_mesh & {*kinds} else "obj.modifiers.remove(…)"


def _quoted(uid: int) -> str:
    return repr(_script.blocks[uid])


def _told(missing: dict[belongings.Key, str], kind: str) -> list[str]:
    owners = _owners()
    return [f"{owners.get(key[1], '')} › {name}".strip(" ›") for key, name in missing.items() if key[0] == kind]


def _listed(words: Iterable[str]) -> str:
    return told.listed(sorted(set(words)))


def _is_open(key: belongings.Key) -> bool:
    """Whether the input that a link led to is still there, and nothing leads to it."""
    return any(
        node.as_pointer() == key[2] and any(one.identifier == key[3] for one in node.inputs)
        for tree in belongings.trees()
        if tree.session_uid == key[1]
        for node in tree.nodes
    )
