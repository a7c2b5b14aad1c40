# SPDX-License-Identifier: GPL-3.0-or-later
"""What evaluating a file would take, apart from node trees: curves, instances, physics, modifiers.

Looked at where Blender evaluates, so it does not matter how a script set a value. What the artist's file already took
is not counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import bpy

from ..host import census
from . import crossings, faces, paths, policy, stacks
from .errors import Guarded

POINTS = 20_000_000
"""The most points of the surface of a curve or a text."""
INSTANCES = 2_000_000
"""The most objects that instancing may show."""
CLOTH_STEPS = 2e6
"""The most steps of cloth for one frame, each of a vertex."""
SOFT_STEPS = 3e7
"""The same of a soft body, whose steps are cheaper."""
GLYPH = 20
"""The points of a letter's outline, on average."""

_seen: dict[tuple[str, int], Any] = {}
"""What each thing would take, when it was looked at last."""


def begin() -> None:
    """Called before the first line of a script."""
    crossings.begin()
    paths.begin()
    _seen.clear()
    for key, described, _, _ in _found():
        _seen[key] = described


def check() -> None:
    """Raises, and makes the thing small, if one would take more than Blender can handle and was changed."""
    faces.check()
    paths.check_values()
    for key, described, excess, shrink in _found():
        if _seen.get(key) == described:
            continue
        _seen[key] = described
        why = excess(described)
        if why:
            shrink()
            raise Guarded(f"{why} That would freeze Blender; use smaller numbers.")


def check_frame() -> None:
    """Raises if another frame would simulate a fluid: Blender runs Python for that, and writes files."""
    modifiers = (one for obj in census.every("objects") for one in obj.modifiers if one.type == "FLUID")
    if any(one.fluid_type == "DOMAIN" and one.show_viewport for one in modifiers):
        raise Guarded("The file has a fluid domain, which simulates and writes files at other frames.")
    if any(cache is not None and cache.use_disk_cache for cache in _caches()):
        raise Guarded("A simulation has a cache on the disk, which another frame would write; turn Disk Cache off.")


def _caches() -> Iterator[Any]:
    """The point caches of the file."""
    for obj in census.every("objects"):
        for modifier in obj.modifiers:
            yield getattr(modifier, "point_cache", None)
            for surface in getattr(getattr(modifier, "canvas_settings", None), "canvas_surfaces", ()):
                yield surface.point_cache
        for system in obj.particle_systems:
            yield system.point_cache
    for scene in census.every("scenes"):
        yield getattr(scene.rigidbody_world, "point_cache", None)


Found = tuple[tuple[str, int], Any, Callable[[Any], str], Callable[[], None]]
"""What something is, what describes it, why that is too much (or ''), and how to make it small."""


def _found() -> Iterator[Found]:
    for curve in census.every("curves"):
        yield ("curve", curve.session_uid), _points(curve), _curve_excess(curve), _smaller_curve(curve)
    instancing = False
    for obj in census.every("objects"):
        kind = obj.instance_type
        instancing |= kind != "NONE"
        if len(obj.modifiers):
            yield from _of_modifiers(obj)
    if instancing:
        counts = _Instances()
        yield ("instances", 0), counts.total(), _instances_excess, counts.hide
    for settings in census.every("particles"):
        yield ("particles", settings.session_uid), _particles(settings), _particles_excess(settings), _fewer(settings)


# -- curves and texts


def _points(curve: Any) -> float:
    ring: float = 1
    if curve.bevel_mode != "ROUND" or curve.bevel_depth > 0 or curve.bevel_object is not None:
        ring = 4 + 2 * curve.bevel_resolution
    if curve.extrude > 0:
        ring += 2
    fine = max(curve.resolution_u, curve.render_resolution_u, 1)
    body = getattr(curve, "body", None)
    if body is not None:
        return float(len(body)) * GLYPH * fine * ring
    size = 0.0
    for spline in curve.splines:
        if spline.type == "BEZIER":
            size += len(spline.bezier_points) * max(fine, spline.resolution_u)
        elif spline.point_count_v > 1:
            sides = max(spline.resolution_u, 1) * max(spline.resolution_v, 1)
            size += spline.point_count_u * spline.point_count_v * sides
        else:
            size += len(spline.points) * (max(fine, spline.resolution_u) if spline.type == "NURBS" else 1)
    return size * ring


def _curve_excess(curve: Any) -> Callable[[Any], str]:
    def excess(points: float) -> str:
        return f"{curve.name!r} would have about {points:,.0f} points." if points > POINTS else ""

    return excess


def _smaller_curve(curve: Any) -> Callable[[], None]:
    def shrink() -> None:
        curve.resolution_u, curve.render_resolution_u, curve.bevel_resolution = 1, 0, 0
        curve.bevel_depth = curve.extrude = 0
        if hasattr(curve, "body"):
            curve.body = curve.body[:100]
        for spline in curve.splines:
            spline.resolution_u = 1
            if spline.point_count_v > 1:
                spline.resolution_v = 1

    return shrink


# -- instances


class _Instances:
    """Counts what instancing shows, without following an object twice."""

    def __init__(self) -> None:
        self._counted: dict[int, float] = {}
        self._children: dict[int, list[Any]] = {}
        self.instancers: list[Any] = []
        for obj in census.every("objects"):
            if obj.parent is not None:
                self._children.setdefault(obj.parent.session_uid, []).append(obj)
            if obj.instance_type != "NONE":
                self.instancers.append(obj)

    def total(self) -> float:
        return sum(self._of(obj) for obj in self.instancers)

    def _of(self, obj: Any) -> float:
        """How many objects one that instances shows; Blender refuses circles of collections."""
        known = self._counted.get(obj.session_uid)
        if known is not None:
            return known
        self._counted[obj.session_uid] = 0.0
        shown = 0.0
        if obj.instance_type == "COLLECTION" and obj.instance_collection is not None:
            shown = sum(1 + self._of(one) for one in obj.instance_collection.all_objects)
        elif obj.instance_type in ("VERTS", "FACES"):
            times = len(getattr(obj.data, "vertices" if obj.instance_type == "VERTS" else "polygons", ()))
            shown = times * sum(1 + self._of(one) for one in self._children.get(obj.session_uid, ()))
        self._counted[obj.session_uid] = shown
        return shown

    def hide(self) -> None:
        for obj in self.instancers:
            obj.instance_type = "NONE"


def _instances_excess(count: float) -> str:
    return f"Instancing would show about {count:,.0f} objects." if count > INSTANCES else ""


# -- particles


def _particles(settings: Any) -> float:
    children = 0
    if settings.child_type != "NONE":
        children = max(settings.rendered_child_count, settings.child_percent)
    steps = settings.hair_step if settings.type == "HAIR" else max(settings.subframes, 1)
    count = settings.count
    if settings.distribution == "GRID" and settings.emit_from in ("VOLUME", "FACE"):
        count = max(count, settings.grid_resolution ** (3 if settings.emit_from == "VOLUME" else 2))
    return float(count * max(children, 1) * steps)


def _particles_excess(settings: Any) -> Callable[[Any], str]:
    def excess(size: float) -> str:
        many = size > policy.policy().items
        return f"{settings.name!r} would make about {size:,.0f} particles and steps." if many else ""

    return excess


def check_particles(settings: Any) -> None:
    """Raises, and reduces the count, if particles, hair steps and children are more than Blender can handle."""
    why = _particles_excess(settings)(_particles(settings))
    if why:
        _fewer(settings)()
        raise Guarded(f"{why} Its count is at most 1,000 now.")


def _fewer(settings: Any) -> Callable[[], None]:
    def shrink() -> None:
        settings.child_type = "NONE"
        settings.distribution = "JIT"
        settings.subframes = 0
        settings.count = min(settings.count, 1000)

    return shrink


# -- modifiers and physics


def _of_modifiers(obj: Any) -> Iterator[Found]:
    stack = stacks.stack(obj)
    if stack is not None:
        yield ("stack", obj.session_uid), stack, _stack_excess(obj), _without_modifiers(obj)
    steps = {one.type: _steps(obj, one) for one in obj.modifiers if one.type in ("CLOTH", "SOFT_BODY")}
    if steps:
        yield ("physics", obj.session_uid), steps, _physics_excess(obj), _without_modifiers(obj)


def _stack_excess(obj: Any) -> Callable[[Any], str]:
    def excess(stack: dict[str, Any]) -> str:
        made = stacks.excess(stack)
        if made:
            return f"The modifiers of {obj.name!r} would make about {made:,.0f} elements."
        for modifier in obj.modifiers:
            if modifier.type == "BOOLEAN" and modifier.show_viewport and modifier.object is not None:
                near = _near(obj, modifier)
                if near > crossings.PAIRS / 3:
                    return f"{near:,.0f} pairs of faces would meet in {modifier.name!r} of {obj.name!r}."
        return ""

    return excess


def _near(obj: Any, modifier: Any) -> float:
    meshes = [one.data for one in (obj, modifier.object)]
    if not all(isinstance(one, bpy.types.Mesh) for one in meshes):
        return 0.0
    mine = crossings.of_mesh(meshes[0], obj.matrix_world)
    other = crossings.of_mesh(meshes[1], modifier.object.matrix_world)
    itself = modifier.use_self if hasattr(modifier, "use_self") else False
    return crossings.pairs(mine, other) + (crossings.pairs(mine, mine) / 2 if itself else 0.0)


def _without_modifiers(obj: Any) -> Callable[[], None]:
    def shrink() -> None:
        for modifier in obj.modifiers:
            modifier.show_viewport = modifier.show_render = False

    return shrink


def _steps(obj: Any, modifier: Any) -> float:
    vertices = float(len(getattr(obj.data, "vertices", ())))
    if modifier.type == "CLOTH":
        collisions: Any = modifier.collision_settings
        more = collisions.collision_quality if collisions.use_self_collision else 0
        return vertices * modifier.settings.quality * (1 + more)
    settings = modifier.settings
    return vertices * (settings.step_max if settings.use_auto_step else max(settings.step_min, 1))


def _physics_excess(obj: Any) -> Callable[[Any], str]:
    def excess(steps: dict[str, float]) -> str:
        most = {"CLOTH": CLOTH_STEPS, "SOFT_BODY": SOFT_STEPS}
        heavy = [size for kind, size in steps.items() if size > most[kind] or math.isnan(size)]
        return f"The physics of {obj.name!r} would take {heavy[0]:,.0f} steps a frame." if heavy else ""

    return excess
