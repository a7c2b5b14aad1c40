# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in for Python's functions while a script runs, and what the instrumented places call.

Each guard costs only where it stands: time is bounded by the watchdog and memory by its hook, so these guard what
neither can stop, which is one call of Blender, of numpy or of an iterator in C that never comes back.
"""

from __future__ import annotations

import itertools
import json
import math
import operator
import random
import string
from array import array
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any

import bpy
from mathutils import geometry, kdtree, noise

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
_PLAIN = frozenset({set, dict, list, frozenset, str})


class NotAllowed(AttributeError):
    """An attribute that safe mode does not allow; for a script, one that is not there."""


# -- attributes by text
# ------------------------------------------------------------------------------------------------


class Attributes:
    """``getattr`` and its kin, for the names that the policy knows."""

    def __init__(self, own: frozenset[str]) -> None:
        self._allowed = policy.policy().attributes | own

    def _knows(self, name: Any) -> bool:
        return name.__class__ is str and name in self._allowed

    def _check(self, name: Any) -> None:
        if not self._knows(name):
            raise NotAllowed(f"The attribute {name!r} is not allowed in safe mode.")

    def getattr(self, thing: Any, name: str, /, *default: Any) -> Any:
        """As Python's, for allowed names; any other is not there."""
        if default and name.__class__ is str and name not in self._allowed:
            return default[0]
        self._check(name)
        if name in METHODS and hasattr(thing, name):
            return method(thing, name)
        if name == "format":
            return format_of(thing)
        if name == "pixels":
            return pixels(thing)
        return getattr(thing, name, *default)

    def hasattr(self, thing: Any, name: str, /) -> bool:
        """As Python's, for allowed names; any other is not there."""
        return self._knows(name) and hasattr(thing, name)

    def setattr(self, thing: Any, name: str, value: Any, /) -> None:
        """As Python's, for allowed names and within the bounds of the policy."""
        self._check(name)
        if name.startswith("__"):
            raise NotAllowed(f"The attribute {name!r} is not allowed in safe mode.")
        store(thing, name, value)

    def delattr(self, thing: Any, name: str, /) -> None:
        """As Python's, for allowed names."""
        self._check(name)
        delattr(thing, name)

    def attrgetter(self, *names: str) -> Callable[[Any], Any]:
        """As `operator.attrgetter`, for allowed names."""

        def one(thing: Any, path: str) -> Any:
            for name in path.split("."):
                thing = self.getattr(thing, name)
            return thing

        for path in names:
            for name in path.split("."):
                self._check(name)
        if len(names) == 1:
            return lambda thing: one(thing, names[0])
        return lambda thing: tuple(one(thing, path) for path in names)

    def methodcaller(self, name: str, /, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        """As `operator.methodcaller`, for allowed names."""
        self._check(name)
        return lambda thing: self.getattr(thing, name)(*args, **kwargs)


def type_of(thing: Any, /) -> type:
    """``type(x)``, which makes no types."""
    return type(thing)


def as_number(value: Any) -> float:
    """The number that Blender will see, of numbers of all kinds: Python's, those of an `IntEnum`, numpy's; else 0."""
    if isinstance(value, int | float):
        return value
    kind = type(value)
    if not (hasattr(kind, "__index__") or hasattr(kind, "__float__")) or getattr(value, "ndim", 0):
        return 0
    return operator.index(value) if hasattr(kind, "__index__") else float(value)


# -- sizes in Blender
# --------------------------------------------------------------------------------------------------


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
            expected.changed()
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
    kind = node.bl_idname if node is not None else ""
    if not kind.startswith("GeometryNode"):
        return
    numbers = [one.default_value for one in node.inputs if one.type == "INT"] if "Mesh" in kind else [value]
    size = 4.0**value if socket.name == "Level" else math.prod(max(number, 1) for number in numbers)
    if size > (ITEMS if socket.name != "Level" else 4**7):
        socket.default_value = 1
        raise Guarded(f"{socket.name} = {value} would take all memory or freeze Blender.")


def voxels(extent: float, size: float) -> float:
    """About how many faces a remesh makes of something of that extent."""
    return 6 * (extent / max(size, 1e-9)) ** 2


def _extent(obj: Any) -> float:
    """The longest side of an object without its modifiers, in its own space."""
    vertices = getattr(obj.data, "vertices", ())
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
    """``thing.name``, a method that can make too much or the wrong thing, within bounds."""
    found = getattr(thing, name)
    if thing.__class__ in _PLAIN or not callable(found) or not hasattr(thing, "bl_rna"):
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


# -- numbers and iterators
# ---------------------------------------------------------------------------------------------


def range_of(*args: Any) -> range:
    """``range`` outside of a loop: functions in C that walk through it cannot be stopped."""
    found = range(*args)
    # len() fails above the size of a machine word.
    if found and (found[-1] - found[0]) // found.step >= ITEMS:
        raise Guarded(f"This range has more than {ITEMS:,} items.")
    return found


def rounded(number: Any, ndigits: Any = None) -> Any:
    """``round``: not to a power of ten beyond all numbers."""
    if ndigits.__class__ is int and abs(ndigits) > 400:
        raise Guarded(f"round(x, {ndigits}) has no meaning; use at most 400 digits.")
    return round(number) if ndigits is None else round(number, ndigits)


def formatted(value: Any, spec: str = "", /) -> str:
    """``format`` with a short specification."""
    if len(spec) > 40 or any(len(part) > 3 for part in "".join(c if c.isdigit() else " " for c in spec).split()):
        raise Guarded("A width or precision in this format is larger than 999.")
    return format(value, spec)


class _Texts(string.Formatter):
    """`str.format` without attributes and items, and with short widths."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        if "." in field_name or "[" in field_name:
            raise Guarded("A field of a format reads no attributes and no items; compute the value before.")
        return super().get_field(field_name, args, kwargs)

    def format_field(self, value: Any, format_spec: str) -> Any:
        return formatted(value, format_spec)


def format_of(thing: Any) -> Any:
    """``thing.format``: for a text with bounds, for any other object its own."""
    if not isinstance(thing, str):
        return thing.format
    return lambda *args, **kwargs: _Texts().vformat(str(thing), args, kwargs)


def iterated(thing: Any, *sentinel: Any) -> Any:
    """``iter``; with a sentinel as a generator, which the watchdog can stop."""
    if not sentinel:
        return iter(thing)
    return _walk(iter(thing, *sentinel))


def _walk(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:  # noqa: UP028  `yield from` cannot be interrupted
        yield item


def stoppable(function: Callable[..., Iterable[Any]]) -> Callable[..., Iterator[Any]]:
    """An iterator in C that may be endless, as a generator, which the watchdog can stop wherever it is consumed."""

    def walked(*args: Any, **kwargs: Any) -> Iterator[Any]:
        return _walk(function(*args, **kwargs))

    walked.__name__ = walked.__qualname__ = function.__name__
    return walked


def product_of(numbers: Iterable[Any], *, start: Any = 1) -> Any:
    """``math.prod``, stoppable between its factors."""
    return math.prod(_walk(numbers), start=start)


def choices(population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> list[Any]:
    """``random.choices`` with at most ``ITEMS`` draws."""
    if k > ITEMS:
        raise Guarded(f"choices() of {k:,} items takes too much memory or time.")
    return random.choices(population, weights, cum_weights=cum_weights, k=k)


def _up_to(name: str, largest: int) -> Callable[..., Any]:
    """A function of `math` whose result grows with its arguments beyond all bounds."""
    function = getattr(math, name)

    def called(*args: Any) -> Any:
        if any(as_number(one) > largest for one in args):
            raise Guarded(f"{name}() of numbers above {largest:,} takes too long.")
        return function(*args)

    called.__name__ = name
    return called


def _tree(size: Any = 0) -> Any:
    """``KDTree``, for as many points as a mesh may have."""
    if as_number(size) > ITEMS:
        raise Guarded(f"KDTree() of {size:,} points takes too much memory; use at most {ITEMS:,}.")
    return kdtree.KDTree(size)


def _bearable(value: Any) -> None:
    """Raises for nested lists that hold themselves so often that writing them out takes forever."""
    waiting, left = [value], ITEMS // 5
    while waiting:
        one = waiting.pop()
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list | tuple) else ()
        left -= len(inner)
        if left < 0:
            raise Guarded("This is nested too often to be written out.")
        waiting.extend(inner)


def dumps(value: Any, **how: Any) -> str:
    """``json.dumps`` of what can be written out."""
    _bearable(value)
    return json.dumps(value, **how)


def _at_most(name: str, limit: int, count: Callable[..., int]) -> Callable[..., Any]:
    """A function of ``mathutils.geometry`` that nothing stops and whose time grows faster than its points."""
    function = getattr(geometry, name)

    def called(*args: Any, **kwargs: Any) -> Any:
        points = count(*args)
        if points > limit:
            raise Guarded(f"{name}() of {points:,} points takes too long; use at most {limit:,}.")
        return function(*args, **kwargs)

    called.__name__ = called.__qualname__ = name
    return called


def _few(name: str, place: int, keyword: str, largest: int) -> Callable[..., Any]:
    """A function of ``mathutils.noise`` with a number that is a count of steps: its octaves, or a size."""
    function = getattr(noise, name)

    def called(*args: Any, **kwargs: Any) -> Any:
        if len(args) > place and args[place] > largest or keyword in kwargs and kwargs[keyword] > largest:
            raise Guarded(f"{name}() with {keyword} above {largest} takes too long.")
        return function(*args, **kwargs)

    called.__name__ = called.__qualname__ = name
    return called


REPLACED: dict[str, dict[str, Callable[..., Any]]] = {
    "itertools": {
        name: stoppable(getattr(itertools, name))
        for name in (
            "count",
            "cycle",
            "repeat",
            "product",
            "permutations",
            "combinations",
            "combinations_with_replacement",
        )
    },
    "json": {"dumps": dumps},
    "math": {"prod": product_of, **{name: _up_to(name, 5_000) for name in ("factorial", "comb", "perm")}},
    "mathutils.geometry": {
        "box_fit_2d": _at_most("box_fit_2d", 20_000, lambda points, *_: len(points)),
        "box_pack_2d": _at_most("box_pack_2d", 20_000, lambda boxes, *_: len(boxes)),
        "convex_hull_2d": _at_most("convex_hull_2d", 200_000, lambda points, *_: len(points)),
        "delaunay_2d_cdt": _at_most("delaunay_2d_cdt", 50_000, lambda points, edges, *_: len(points) + len(edges)),
        "interpolate_bezier": _at_most("interpolate_bezier", 1_000_000, lambda *args: int(as_number(args[-1]))),
        "tessellate_polygon": _at_most(
            "tessellate_polygon", 5_000, lambda polygons, *_: sum(len(polygon) for polygon in polygons)
        ),
    },
    "mathutils.kdtree": {"KDTree": _tree},
    "mathutils.noise": {
        **{name: _few(name, 1, "octaves", 100) for name in ("turbulence", "turbulence_vector")},
        **{
            name: _few(name, 3, "octaves", 100)
            for name in ("fractal", "multi_fractal", "hetero_terrain", "hybrid_multi_fractal", "ridged_multi_fractal")
        },
        **{name: _few(name, 0, "size", 1000) for name in ("random_vector", "random_unit_vector")},
    },
    "random": {"choices": choices},
}
"""Members of modules with a guard of their own."""
