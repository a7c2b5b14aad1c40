# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the objects that a step describes: meshes without geometry of their own, which a modifier fills."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy

from . import check_tree, current
from .documents import ObjectEdit
from .errors import HostError


def make(edit: ObjectEdit) -> None:
    """Makes the object in the active collection, without selecting it. Raises `duplicate_id` if there is one."""
    name = edit["name"]
    if bpy.data.objects.get((name, None)) is not None:
        raise HostError("duplicate_id", f'There is already an object "{name}".')
    check_tree.check_name("object", name, check_tree.tree_name_bytes())
    obj = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    if obj.name != name:  # one that is linked from another file may have it
        obj.name = name
    obj.location = edit.get("location") or current.scene().cursor.location
    _collection().objects.link(obj)


def select(uids: Iterable[int]) -> None:
    """Selects the objects with these session IDs alone, and makes the last of them active, as Blender's *Add* does."""
    wanted = set(uids)
    if not wanted or bpy.context.mode != "OBJECT":
        return
    layer = current.view_layer()
    layer.update()  # what was deleted meanwhile is gone from its list
    made = [obj for obj in layer.objects if obj.session_uid in wanted]
    for obj in layer.objects:
        obj.select_set(obj.session_uid in wanted)
    if made:
        layer.objects.active = made[-1]


def _collection() -> Any:
    """The active collection, or that of the scene if what is put into it would not be seen."""
    active: Any = current.view_layer().active_layer_collection
    collection = active.collection
    seen = active.is_visible and not active.exclude and not collection.hide_viewport and collection.library is None
    return collection if seen else current.scene().collection
