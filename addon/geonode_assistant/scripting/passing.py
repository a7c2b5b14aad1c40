# SPDX-License-Identifier: GPL-3.0-or-later
"""What instances of a depsgraph show: Blender makes one instance and one object for all of them, which hold the values
of the next one as soon as a walk goes on, and nothing once it ends.
"""

from __future__ import annotations

from typing import Any

import bpy

from .. import native
from .errors import NotAllowed

SHOWN = frozenset({"matrix_world", "object", "orco", "persistent_id", "uv"})
"""What an instance shows only until the next one is looked at."""
_METHODS = frozenset({
    "calc_matrix_camera", "camera_fit_coords", "closest_point_on_mesh", "evaluated_get", "find_armature", "hide_get",
    "is_deform_modified", "is_modified", "ray_cast", "select_get", "to_curve", "to_curve_clear", "to_mesh",
    "to_mesh_clear", "visible_get",
})  # fmt: skip
"""Methods of an object that give nothing of its own memory."""


class PassingObject(bpy.types.Object):
    """The object that Blender shows for one instance after the other. A script has numbers of it as copies, its parts
    from the object that it stands for, and everything that is a data-block."""

    __slots__ = ()


def shown(instance: Any, name: str) -> Any:
    """What an instance shows: numbers as a copy, or an object that goes with the walk's next step."""
    found = getattr(instance, name)
    if name != "object":
        return _copied(found)
    lasting = instance.instance_object
    if not instance.is_instance or lasting is not None and found.as_pointer() == lasting.as_pointer():
        return found
    kind: Any = PassingObject
    wrapped = kind(found)
    for one in (found, wrapped):
        native.core().walks_passing(one)
    return wrapped


def check(name: Any, is_read: bool) -> None:
    """Raises unless a script may have this of an object that passes."""
    if not is_read or not is_property(name) and name not in _METHODS:
        raise NotAllowed(
            f"{name!r} of an instance's object cannot be used: Blender shows the next instance with the same object. "
            "Use its `original`, or the `instance_object` of the instance."
        )


def member(thing: Any, name: str) -> Any:
    """A property of an object that passes."""
    found = _copied(getattr(thing, name))
    if isinstance(found, bpy.types.ID) or not isinstance(found, bpy.types.bpy_struct | bpy.types.bpy_prop_collection):
        return found
    return None if thing.original is None else getattr(thing.original, name)


def as_object(given: Any) -> Any:
    """The same object as Blender's own type, for functions in C that take no other."""
    if type(given) is not PassingObject:
        return given
    kind: Any = bpy.types.Object
    return kind(given)


def is_property(name: str) -> bool:
    """Whether an object has a property of this name."""
    return name in bpy.types.Object.bl_rna.properties


def _copied(found: Any) -> Any:
    if hasattr(found, "copy") and not isinstance(found, bpy.types.ID):
        return found.copy()
    arrays: Any = bpy.types.bpy_prop_array
    return tuple(found) if isinstance(found, arrays) else found
