# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits on numbers that Blender multiplies, since its evaluation cannot be stopped.

``instrument`` inserts these functions where a script assigns to a property with such a name, and where it reads a
method with such a name.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

import bpy

from . import absent, expected, indices, loads, older, paths, policy, properties, stacks
from .errors import Guarded

LONGEST_TEXT = 20_000
"""The most characters of a text object; each becomes a curve."""
LARGEST_PICTURE = 80_000_000
"""The most pixels of an image."""
STORED = frozenset({
    "default_value", "voxel_size", "body", "resolution", "render_resolution", "radius", "child_type",
    "viewport_resolution", "hair_step", "iterations", "limit_method", "object", "use_axis",
    "type", "fluid_type", "data_path",
})  # fmt: skip
"""Properties that are checked in addition to those with a limit, because some of their values multiply the mesh."""
_COUNTED = (bpy.types.Modifier, bpy.types.ParticleSettings, bpy.types.MetaBall, bpy.types.MetaElement)
"""Types whose elements are estimated again after any change of one of these properties."""
_STRUCT, _DRIVER = bpy.types.bpy_struct, bpy.types.Driver  # looking one up takes longer than most guards
METHODS = frozenset({
    "new", "add", "resize", "scale", "add_curves", "resize_curves", "add_strokes", "resize_strokes", "pack", "copy",
    "evaluated_depsgraph_get", "evaluated_get", "id_eval_get", "frame_set", "update", "new_socket", "new_panel",
    *paths.METHODS,
})  # fmt: skip
"""Methods of Blender's data that a guard checks."""
_EVALUATING = frozenset({"evaluated_depsgraph_get", "evaluated_get", "frame_set", "id_eval_get", "update"})


def as_number(value: Any) -> float:
    """The value as the number that Blender receives, for numbers of Python, `IntEnum` and numpy; else 0."""
    kind = type(value)
    if kind is str or kind is tuple or kind is list:
        return 0
    if isinstance(value, (int, float)):  # noqa: UP038  four times as fast as the union
        return value
    if not (hasattr(kind, "__index__") or hasattr(kind, "__float__")) or getattr(value, "ndim", False):
        return 0
    return operator.index(value) if hasattr(kind, "__index__") else float(value)


def bounded(name: str, value: Any) -> Any:
    """Returns the value of a property or an argument; raises if it exceeds the policy's limit for this name."""
    bound = policy.policy().bounds.get(name)
    if bound is not None and name not in STORED and as_number(value) > bound:
        raise Guarded(f"{name} = {value} would use up all memory or freeze Blender; use at most {bound}.")
    return value


def looks_at(kind: type, name: str) -> bool:
    """Whether assignments to this property of a Blender type are checked; the name must have a limit."""
    if name == "body":
        return issubclass(kind, bpy.types.TextCurve)
    if name == "type":
        return issubclass(kind, bpy.types.Driver)
    if name == "data_path":
        return paths.is_animated(kind)
    if name == "fluid_type":
        return issubclass(kind, bpy.types.FluidModifier)
    return name == "default_value" or name not in STORED or issubclass(kind, _COUNTED)


def store(thing: Any, name: str, value: Any) -> None:
    """``thing.name = value`` for a name with a limit."""
    if isinstance(thing, _STRUCT):
        bounded(name, value)
        if isinstance(thing, _DRIVER):
            _check_driver(name, value)
        if name == "data_path":
            value = older.current().path(value)
            paths.check_animated(value)
        if name == "fluid_type" and value == "DOMAIN":
            raise Guarded("A fluid domain simulates, which writes files; set it up by hand.")
        if name == "default_value":
            expected.changed(thing.id_data)
        if name == "body" and isinstance(value, str) and len(value) > LONGEST_TEXT:
            raise Guarded(f"A text of {len(value):,} characters would freeze Blender; use at most {LONGEST_TEXT:,}.")
        setattr(thing, name, value)
        if isinstance(thing, _COUNTED):
            _count(thing)
        elif name == "default_value" and as_number(value) and not isinstance(value, float):
            _check_socket(thing, int(as_number(value)))
    else:
        setattr(thing, name, value)


def _count(thing: Any) -> None:
    """Estimates the elements again of what was changed."""
    if isinstance(thing, bpy.types.Modifier):
        stacks.check(thing)
    elif isinstance(thing, bpy.types.ParticleSettings):
        loads.check_particles(thing)
    else:
        check_metaball(thing.id_data)


def meant_sockets(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of ``links.new`` with the sockets that are meant."""
    if len(args) < 2:
        return args
    one, other, *more = args
    earlier = older.current()
    return (earlier.linked(one, other), earlier.linked(other, one), *more)


def _check_driver(name: str, value: Any) -> None:
    if name == "type" and value == "SCRIPTED":
        raise Guarded("A scripted driver evaluates Python; use SUM, AVERAGE, MIN or MAX of its variables.")


def check_metaball(ball: Any) -> None:
    """Raises, and makes the surface coarser, if it would have more faces than Blender can handle."""
    finest = max(min(ball.resolution, ball.render_resolution), 1e-6)
    widest = [max(one.radius, one.size_x, one.size_y, one.size_z, 1e-6) * 2 for one in ball.elements]
    size = sum(6 * (width / finest) ** 2 for width in widest)
    if size > policy.policy().items / 5:
        ball.resolution = ball.render_resolution = max([1.0, *(width / 20 for width in widest)])
        raise Guarded(f"{ball.name!r} would make about {size:,.0f} faces; use a larger resolution.")


def _check_socket(socket: Any, value: int) -> None:
    """Raises, and sets the value to 1, if a node would make more than Blender can handle."""
    node = getattr(socket, "node", None)
    if node is None or not node.bl_idname.startswith("GeometryNode"):
        return
    numbers = [one.default_value for one in node.inputs if one.type == "INT"] if "Mesh" in node.bl_idname else [value]
    size = 4.0**value if socket.name == "Level" else math.prod(max(number, 1) for number in numbers)
    if size > (policy.policy().items if socket.name != "Level" else 4 ** policy.policy().bounds["levels"]):
        socket.default_value = 1
        raise Guarded(f"{socket.name} = {value} would use up all memory or freeze Blender.")


def function(kind: str, name: str) -> Callable[..., Any]:
    """A method of Blender's data that can create too much or something forbidden, with checks, as a function of the
    object. ``kind``: the identifier of its type; empty where it has none.
    """

    def plain(thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(thing, name)(*args, **kwargs)

    if not kind:
        return plain
    found = absent.checked(plain, kind, name)
    if name == "path_resolve":
        return _path_resolve
    if paths.has_guard(kind, name) or name in paths.METHODS:
        return paths.animating(found, name, lambda path: older.current().path(path))
    match kind:
        case "Nodes":
            return _checked(found, node_type)
        case "NodeLinks" if name == "new":
            return lambda links, /, *args, **kwargs: found(links, *meant_sockets(args), **kwargs)
        case "ObjectModifiers":
            return lambda modifiers, /, *args, **kwargs: _in_a_stack(found(modifiers, *args, **kwargs))
        case "MetaBallElements" if name == "new":
            return lambda elements, /, *args, **kwargs: _in_a_ball(found(elements, *args, **kwargs))
        case "Context" if name == "copy":
            return lambda context: _context(found(context))
        case _ if name == "pack":
            return _packed
        case _ if name == "copy":
            return found
        case "Scene" if name == "frame_set":
            return _checked(found, _check_frame)
        case _ if name in _EVALUATING:
            evaluates = kind in {"Context", "Depsgraph", "Scene", "ViewLayer"} or name == "evaluated_get"
            return _checked(found, expected.check) if evaluates else found
        case "BlendDataImages" | "Image":
            return _checked(found, picture)
    return _checked(found, _counts)


def _path_resolve(thing: Any, path: str, coerce: bool = True) -> Any:
    """``thing.path_resolve``."""
    if not coerce:
        raise Guarded("path_resolve() gives values only; leave out `coerce`.")
    current = older.current().guards
    return paths.resolved(thing, path, current["load"], current["item"])


def _check_frame(*args: Any, **kwargs: Any) -> None:
    loads.check_frame()
    paths.check_values()
    expected.check(*args, **kwargs)


def _checked(function: Callable[..., Any], check: Callable[..., None]) -> Callable[..., Any]:
    def called(thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        check(*args, **kwargs)
        return function(thing, *args, **kwargs)

    return called


def node_type(*args: Any, **kwargs: Any) -> None:
    """Refuses node types that read or write files or run scripts, however the script composed their names."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, str) and any(fnmatchcase(value, pattern) for pattern in policy.policy().node_types):
            raise Guarded(f"The node {value} is not allowed in safe mode.")


def _context(copied: dict[str, Any]) -> dict[str, Any]:
    """`bpy.context.copy()` without members that lead out of the scene."""
    allowed = policy.policy().attributes
    return {name: value for name, value in copied.items() if name in allowed}


def _packed(thing: Any) -> Any:
    """`image.pack()` for an image created by a script; not with other data, and nothing from the disk."""
    if not isinstance(thing, bpy.types.Image) or thing.source != "GENERATED" and not thing.packed_file:
        raise Guarded("pack() only works for images that a script has created.")
    return thing.pack()


def _counts(*args: Any, **kwargs: Any) -> None:
    for value in (*args, *kwargs.values()):
        if as_number(value) > policy.policy().items:
            raise Guarded(f"{value:,} elements would use up all memory; use at most {policy.policy().items:,}.")


def picture(*args: Any, **kwargs: Any) -> None:
    """Raises if an image with such sides would use up all memory."""
    sides = [as_number(value) for value in (*args, *kwargs.values())]
    if math.prod(max(side, 1) for side in sides) > LARGEST_PICTURE:
        raise Guarded("This image would use up all memory; use at most 8192 × 8192 pixels.")


def _in_a_stack(made: Any) -> Any:
    if isinstance(made, bpy.types.Modifier):
        stacks.check(made)
    return made


def _in_a_ball(made: Any) -> Any:
    check_metaball(made.id_data)
    return made


def store_item(thing: Any, key: Any, value: Any) -> None:
    """``thing[key] = value`` on Blender's data, which may be an input of a modifier."""
    if indices.store_item(thing, key, value):
        return
    properties.check_depth(value)
    thing[key] = properties.plain(value)
    if isinstance(thing, bpy.types.NodesModifier):
        expected.changed(thing.node_group)
