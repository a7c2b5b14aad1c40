# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender multiplies, within bounds: nothing stops it once it has begun.

These stand where ``instrument`` has put them: where a script stores into a property of such a name, and where it
takes a method of such a name.
"""

from __future__ import annotations

import math
import operator
from array import array
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

import bpy

from . import expected, policy
from .errors import Guarded

ITEMS = 10_000_000
"""Of a range, an array, a mesh: more is refused."""
LONGEST_TEXT = 20_000
"""Characters of a text object; each becomes a curve."""
LARGEST_SKIN = 5_000
"""Vertices under a skin modifier, which takes a second for some thousands of them."""
LARGEST_BOOLEAN = 400_000
"""Faces of both sides of a boolean."""
LARGEST_PICTURE = 80_000_000
"""Channels of an image that may be read as a list."""
STORED = {
    "default_value": ITEMS, "voxel_size": ITEMS, "body": ITEMS, "resolution": ITEMS, "render_resolution": ITEMS,
    "radius": ITEMS, "child_type": ITEMS, "viewport_resolution": ITEMS, "hair_step": ITEMS, "iterations": ITEMS,
    "limit_method": ITEMS, "object": ITEMS, "use_axis": ITEMS,
}  # fmt: skip
"""Properties that are looked at beside those with a bound: a few of their values make very much."""
METHODS = frozenset({
    "new", "add", "resize", "scale", "add_curves", "resize_curves", "add_strokes", "resize_strokes", "pack", "copy",
    "evaluated_depsgraph_get", "evaluated_get", "frame_set", "update",
})  # fmt: skip
"""Methods of Blender's that a guard looks at."""
_EVALUATING = frozenset({"evaluated_depsgraph_get", "evaluated_get", "frame_set", "update"})


def as_number(value: Any) -> float:
    """The number that Blender will see, of numbers of all kinds: Python's, those of an `IntEnum`, numpy's; else 0."""
    if isinstance(value, int | float):
        return value
    kind = type(value)
    if not (hasattr(kind, "__index__") or hasattr(kind, "__float__")) or getattr(value, "ndim", False):
        return 0
    return operator.index(value) if hasattr(kind, "__index__") else float(value)


def bounded(name: str, value: Any) -> Any:
    """The value of a property or an argument, when it is not above the policy's bound for this name."""
    bound = policy.policy().bounds.get(name)
    if bound is not None and name not in STORED and as_number(value) > bound:
        raise Guarded(f"{name} = {value} would take all memory or freeze Blender; use at most {bound}.")
    return value


def store(thing: Any, name: str, value: Any) -> None:
    """``thing.name = value`` where the policy bounds the name."""
    if isinstance(thing, bpy.types.bpy_struct):
        bounded(name, value)
        if name == "default_value":
            expected.changed(thing.id_data)
        if name == "body" and isinstance(value, str) and len(value) > LONGEST_TEXT:
            raise Guarded(f"A text of {len(value):,} characters freezes Blender; use at most {LONGEST_TEXT:,}.")
        setattr(thing, name, value)
        if isinstance(thing, bpy.types.Modifier):
            check_stack(thing)
        elif name == "default_value" and as_number(value) and not isinstance(value, float):
            _check_socket(thing, int(as_number(value)))
        elif isinstance(thing, bpy.types.ParticleSettings):
            _check_particles(thing)
        elif isinstance(thing, bpy.types.MetaBall | bpy.types.MetaElement):
            check_metaball(thing.id_data)
    else:
        setattr(thing, name, value)


def check_stack(changed: Any) -> None:
    """Raises, and takes the change back, when an object's modifiers would multiply it beyond what Blender bears."""
    obj = changed.id_data
    size, wider = _elements(obj), 1
    for modifier in obj.modifiers:
        match modifier.type:
            case "SUBSURF" | "MULTIRES":
                size *= 4 ** max(modifier.levels, 0)
            case "ARRAY":
                copies = max(modifier.count, 1) if modifier.fit_type == "FIXED_COUNT" else 1
                size, wider = size * copies, wider * copies
            case "SCREW":
                size *= max(modifier.steps, 1) * max(modifier.iterations, 1)
            case "MIRROR":
                size *= 2 ** sum(modifier.use_axis)
            case "SOLIDIFY":
                size *= 2
            case "WIREFRAME":
                size *= 8
            case "BEVEL":
                size *= 1 if modifier.limit_method in ("ANGLE", "WEIGHT", "VGROUP") else 2 + modifier.segments**2 / 4
            case "BOOLEAN":
                # Its time grows faster than its faces.
                other = _elements(modifier.object) if modifier.object is not None else 0
                size = size if _elements(obj) + other <= LARGEST_BOOLEAN else ITEMS * 3
            case "SMOOTH" | "LAPLACIANSMOOTH" | "CORRECTIVE_SMOOTH":
                size = size if size * modifier.iterations <= ITEMS * 10 else ITEMS * 3
            case "SKIN" if size > LARGEST_SKIN:
                size = ITEMS * 3
            case "OCEAN" if max(modifier.resolution, modifier.viewport_resolution) > 64:
                size = ITEMS * 3
            case "REMESH" if modifier.mode == "VOXEL":
                size = voxels(_extent(obj) * wider, modifier.voxel_size)
            case _:
                continue
        if size > ITEMS / 2:
            changed.show_viewport = False
            changed.show_render = False
            raise Guarded(
                f"The modifiers of {obj.name!r} would make about {size:,.0f} elements; {changed.name!r} is switched "
                "off. Use smaller counts and levels."
            )


def _check_particles(settings: Any) -> None:
    """Raises, and leaves most out, when particles, steps of hairs and children would be more than Blender bears."""
    children = 0
    if settings.child_type != "NONE":
        children = max(settings.rendered_child_count, settings.child_percent)
    size = settings.count * max(children, 1) * (settings.hair_step if settings.type == "HAIR" else 1)
    if size > ITEMS:
        settings.child_type = "NONE"
        settings.count = min(settings.count, 1000)
        raise Guarded(f"{settings.name!r} would make about {size:,} particles and steps; its count is 1,000 now.")


def check_metaball(ball: Any) -> None:
    """Raises, and makes the surface coarse, when it would have more faces than Blender bears."""
    finest = max(min(ball.resolution, ball.render_resolution), 1e-6)
    widest = [max(one.radius, one.size_x, one.size_y, one.size_z, 1e-6) * 2 for one in ball.elements]
    size = sum(6 * (width / finest) ** 2 for width in widest)
    if size > ITEMS / 5:
        ball.resolution = ball.render_resolution = max([1.0, *(width / 20 for width in widest)])
        raise Guarded(f"{ball.name!r} would make about {size:,.0f} faces; use a larger resolution.")


def _check_socket(socket: Any, value: int) -> None:
    """Raises, and sets the value to 1, when a node would make more than Blender bears."""
    node = getattr(socket, "node", None)
    if node is None or not node.bl_idname.startswith("GeometryNode"):
        return
    numbers = [one.default_value for one in node.inputs if one.type == "INT"] if "Mesh" in node.bl_idname else [value]
    size = 4.0**value if socket.name == "Level" else math.prod(max(number, 1) for number in numbers)
    if size > (ITEMS if socket.name != "Level" else 4**7):
        socket.default_value = 1
        raise Guarded(f"{socket.name} = {value} would take all memory or freeze Blender.")


def voxels(extent: float, size: float) -> float:
    """About how many faces a remesh makes of something of that extent."""
    return 6 * (extent / max(size, 1e-9)) ** 2


def _extent(obj: Any) -> float:
    """The longest side of an object without its modifiers, in its own space."""
    vertices: Any = getattr(obj.data, "vertices", ())
    if not len(vertices):
        return max(obj.dimensions)
    places = array("f", bytes(12 * len(vertices)))
    vertices.foreach_get("co", places)
    return max(max(places[axis::3]) - min(places[axis::3]) for axis in range(3))


def _elements(obj: Any) -> float:
    data = obj.data
    polygons = getattr(data, "polygons", None)
    return float(max(len(polygons), len(data.vertices) // 2, 1)) if polygons is not None else 100.0


def method(thing: Any, name: str) -> Any:
    """``thing.name`` of Blender's data, a method that can make too much or the wrong thing, within bounds."""
    found = getattr(thing, name)
    if not callable(found) or not hasattr(thing, "bl_rna"):
        return found
    match thing.bl_rna.identifier:
        case "Nodes":
            return _checked(found, node_type)
        case "ObjectModifiers":
            return lambda *args, **kwargs: _in_a_stack(found(*args, **kwargs))
        case "Context" if name == "copy":
            return lambda: _context(found())
        case _ if name == "pack":
            return lambda: _packed(thing, found)
        case _ if name == "copy":
            return found
        case _ if name in _EVALUATING:
            evaluates = (
                thing.bl_rna.identifier in {"Context", "Depsgraph", "Scene", "ViewLayer"} or name == "evaluated_get"
            )
            return _checked(found, expected.check) if evaluates else found
        case "BlendDataImages" | "Image":
            return _checked(found, _picture)
    return _checked(found, _counts)


def _checked(function: Callable[..., Any], check: Callable[..., None]) -> Callable[..., Any]:
    def called(*args: Any, **kwargs: Any) -> Any:
        check(*args, **kwargs)
        return function(*args, **kwargs)

    return called


def node_type(*args: Any, **kwargs: Any) -> None:
    """Refuses the types of nodes that read or write files or run scripts, however their names were put together."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, str) and any(fnmatchcase(value, pattern) for pattern in policy.policy().node_types):
            raise Guarded(f"The node {value} is not allowed in safe mode.")


def _context(copied: dict[str, Any]) -> dict[str, Any]:
    """`bpy.context.copy()` without what leads out of the scene."""
    allowed = policy.policy().attributes
    return {name: value for name, value in copied.items() if name in allowed}


def _packed(thing: Any, pack: Callable[[], Any]) -> Any:
    """`image.pack()`, which keeps a picture made by a script in the file; no other data, and nothing from the disk."""
    if not isinstance(thing, bpy.types.Image) or thing.source != "GENERATED" and not thing.packed_file:
        raise Guarded("pack() is for pictures that a script has made.")
    return pack()


def _counts(*args: Any, **kwargs: Any) -> None:
    for value in (*args, *kwargs.values()):
        if as_number(value) > ITEMS:
            raise Guarded(f"{value:,} elements would take all memory; use at most {ITEMS:,}.")


def _picture(*args: Any, **kwargs: Any) -> None:
    sides = [as_number(value) for value in (*args, *kwargs.values())]
    if math.prod(max(side, 1) for side in sides) > LARGEST_PICTURE:
        raise Guarded("This picture would take all memory; use at most 8192 × 8192 pixels.")


def _in_a_stack(made: Any) -> Any:
    if isinstance(made, bpy.types.Modifier):
        check_stack(made)
    return made


def pixels(thing: Any) -> Any:
    """``image.pixels`` of a picture that is not too large to be read as a list."""
    found = thing.pixels
    if isinstance(thing, bpy.types.Image) and len(found) > LARGEST_PICTURE:
        raise Guarded(f"{thing.name!r} is too large a picture; scale() it first.")
    return found


def store_item(thing: Any, key: Any, value: Any) -> None:
    """``thing[key] = value`` of Blender's data; the inputs of a modifier may stand there."""
    thing[key] = value
    if isinstance(thing, bpy.types.NodesModifier):
        expected.changed(thing.node_group)
