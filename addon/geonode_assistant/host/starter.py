# SPDX-License-Identifier: GPL-3.0-or-later
"""The start scene of a run without a file: Blender's own Cube, Camera and Light, and some objects to work on."""

from __future__ import annotations

import math
from typing import Any

import bmesh
import bpy
from mathutils import Matrix, Vector, noise

from . import current


def build_starter_scene() -> dict[str, str]:
    """Loads Blender's factory file and adds `Plane` (10 m, active), `Sphere`, `Suzanne`, `Curve`, `Rock`, and
    `Rocks`, a collection of three rocks. Everything stands around the plane without overlaps. Lengths are in
    metres. The result is always the same.
    """
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scene = current.scene()
    cube = bpy.data.objects.get("Cube")
    if cube is not None:
        cube.location = (-8.0, 0.0, 1.0)
    plane = _mesh_object("Plane", lambda bm: bmesh.ops.create_grid(bm, x_segments=1, y_segments=1, size=5.0))
    sphere = _mesh_object("Sphere", lambda bm: bmesh.ops.create_uvsphere(bm, u_segments=32, v_segments=16, radius=1.0))
    sphere.location = (-8.0, 4.0, 1.0)
    suzanne = _mesh_object("Suzanne", lambda bm: bmesh.ops.create_monkey(bm))
    suzanne.location = (-8.0, -4.0, 1.0)
    for obj in (sphere, suzanne):
        obj.data.polygons.foreach_set("use_smooth", [True] * len(obj.data.polygons))
    _curve(Vector((0.0, 7.5, 0.0)))
    rock = _rock("Rock", 0, 0.2)
    rock.location = (7.0, 0.0, 0.15)
    rocks = bpy.data.collections.new("Rocks")
    scene.collection.children.link(rocks)
    for number, size in enumerate((0.18, 0.22, 0.26), start=1):
        part = _rock(f"Rock {number}", number, size, rocks)
        part.location = (7.0, 1.0 + number, 0.15)
    for obj in scene.objects:
        obj.select_set(False)
    plane.select_set(True)
    layer = current.view_layer()
    layer.objects.active = plane
    layer.update()
    return {"active": plane.name}


def _link(obj: Any, collection: Any = None) -> Any:
    (collection or current.scene().collection).objects.link(obj)
    return obj


def _mesh_object(name: str, fill: Any, collection: Any = None) -> Any:
    mesh = bpy.data.meshes.new(name)
    work = bmesh.new()
    fill(work)
    work.to_mesh(mesh)
    work.free()
    return _link(bpy.data.objects.new(name, mesh), collection)


def _curve(start: Vector) -> Any:
    """A slightly S-shaped curve, about eight metres long, along X."""
    data = bpy.data.curves.new("Curve", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("BEZIER")
    points = [
        ((-4.0, 0.0, 0.0), (1.2, 0.9, 0.0)),
        ((-1.3, 0.9, 0.3), (1.1, 0.0, 0.15)),
        ((1.3, -0.9, 0.6), (1.1, 0.0, 0.15)),
        ((4.0, 0.0, 0.9), (1.2, 0.9, 0.0)),
    ]
    spline.bezier_points.add(len(points) - 1)
    for point, (place, tangent) in zip(spline.bezier_points, points, strict=True):
        point.co = Vector(place)
        point.handle_left = Vector(place) - Vector(tangent)
        point.handle_right = Vector(place) + Vector(tangent)
        point.handle_left_type = point.handle_right_type = "ALIGNED"
    obj = _link(bpy.data.objects.new("Curve", data))
    obj.location = start
    return obj


def _rock(name: str, seed: int, radius: float, collection: Any = None) -> Any:
    """A low-poly rock: an icosphere, displaced by Blender's noise (which has no random seed) and slightly flattened."""

    def fill(work: Any) -> None:
        bmesh.ops.create_icosphere(work, subdivisions=2, radius=radius, matrix=Matrix.Identity(4))
        for vertex in work.verts:
            direction = vertex.co.normalized()
            dent = noise.noise(direction * 1.7 + Vector((seed * 7.3, 1.1, 2.9)), noise_basis="PERLIN_ORIGINAL")
            vertex.co *= 1.0 + 0.45 * dent
            vertex.co.x *= 1.0 + 0.2 * math.sin(seed * 1.9)
            vertex.co.z *= 0.72

    return _mesh_object(name, fill, collection)
