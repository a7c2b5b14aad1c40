# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes that tasks start from: plain objects, trees as artists build them, and groups that Blender ships.

``build({"builder": NAME, …})`` replaces the open file. ``tree_making`` has the words in which trees are written here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import scene_trees
from tree_making import collection_of, cube, curves_object, grid, mesh_object, on, path, put

BUILDERS: dict[str, Callable[..., Any]] = {}
"""Each makes objects in an empty file and returns the one that the task is about."""


def build(scene: dict[str, Any]) -> None:
    """Replaces the open file by this scene; its object is active and selected."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    arguments = dict(scene)
    obj = BUILDERS[arguments.pop("builder")](**arguments)
    if obj is not None:
        bpy.context.view_layer.objects.active = obj
        obj.select_set(True)
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Scene")


def builder(function: Callable[..., Any]) -> Callable[..., Any]:
    BUILDERS[function.__name__] = function
    return function


# Plain objects.


@builder
def ground(size: float = 10.0, cells: int = 10, name: str = "Ground", **more: Any) -> Any:
    """A flat grid, with a few objects that may be scattered on it (``things``)."""
    obj = grid(name, size, cells)
    things(**more)
    return obj


@builder
def box(
    size: float = 2.0, cells: int = 1, beside: float = 0.0, flat: float | None = None, name: str = "Block", **more: Any
) -> Any:
    """A cube of cells x cells faces a side; its mesh lies ``beside`` metres along X, and is ``flat`` metres high."""
    obj = cube(name, size, cells)
    for vertex in obj.data.vertices:
        vertex.co.x += beside
        vertex.co.z *= flat / size if flat else 1.0
    things(**more)
    return obj


@builder
def curve(kind: str = "line", name: str = "Path", **more: Any) -> Any:
    """A curve object: a straight line of 10 m, an arc, a circle of radius 2 m, or a profile for a vase."""
    obj = path(name, kind)
    things(**more)
    return obj


@builder
def ball(name: str = "Ball", radius: float = 1.0, **more: Any) -> Any:
    """An ico sphere of 642 vertices."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=radius)
    obj = bpy.context.object
    obj.name = obj.data.name = name
    things(**more)
    return obj


@builder
def wires(name: str = "Frame") -> Any:
    """A mesh of edges only: those of a cube of 2 m."""
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    edges = [
        (a, b)
        for a in range(8)
        for b in range(a + 1, 8)
        if sum(abs(m - n) for m, n in zip(corners[a], corners[b], strict=True)) == 2
    ]
    return mesh_object(name, corners, edges, [])


@builder
def hill(name: str = "Hill", **more: Any) -> Any:
    """A grid of 10 m whose middle rises to 3 m, with steep flanks and a flat top and foot."""
    obj = grid(name, 10.0, 40)
    for vertex in obj.data.vertices:
        distance = math.hypot(vertex.co.x, vertex.co.y)
        vertex.co.z = 3.0 * min(max((3.5 - distance) / 1.5, 0.0), 1.0)
    things(**more)
    return obj


@builder
def painted(name: str = "Meadow") -> Any:
    """A grid of 10 m with a vertex group "paint", 1 in its right half (x > 0) and 0 elsewhere, and a Rock."""
    obj = grid(name, 10.0, 20)
    group = obj.vertex_groups.new(name="paint")
    group.add([vertex.index for vertex in obj.data.vertices if vertex.co.x > 0.01], 1.0, "REPLACE")
    things(rock=True)
    return obj


@builder
def empty_mesh(name: str = "Canvas", **more: Any) -> Any:
    """An object without any geometry of its own."""
    obj = mesh_object(name, [], [], [])
    things(**more)
    return obj


def things(
    rock: bool = False,
    trees: bool = False,
    target: bool = False,
    materials: tuple[str, ...] | list[str] = (),
    cutter: bool = False,
    lamp: bool = False,
    terrain: bool = False,
    poles: bool = False,
) -> None:
    """Further objects: Rock (a small ico sphere), the collection Plants of three, the empty Target, materials, …"""
    if rock:
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=1, radius=0.2, location=(0, 0, -20))
        bpy.context.object.name = bpy.context.object.data.name = "Rock"
    if lamp:
        obj = cube("Lamp", 0.4)
        obj.location = (0, 0, -20)
    if trees:
        collection_of("Plants", [("Pine", 1.0), ("Oak", 0.7), ("Bush", 0.3)])
    if target:
        obj = bpy.data.objects.new("Target", None)
        obj.location = (3, 2, 1)
        bpy.context.scene.collection.objects.link(obj)
    if cutter:
        bpy.ops.mesh.primitive_cylinder_add(radius=0.5, depth=6.0, vertices=32)
        bpy.context.object.name = bpy.context.object.data.name = "Drill"
    if terrain:
        hill("Terrain")
    if poles:
        for name, x in (("Pole A", -4.0), ("Pole B", 4.0)):
            obj = bpy.data.objects.new(name, None)
            obj.location = (x, 0, 5)
            bpy.context.scene.collection.objects.link(obj)
    for name in materials:
        bpy.data.materials.new(name).use_fake_user = True


# Trees as artists build them, each on an object of its own.


@builder
def pebbles(other: bool = False) -> Any:
    """Pebbles scattered on the ground. ``other``: a second object uses the same tree."""
    obj = grid("Ground", 10.0, 10)
    modifier = on(obj, "Pebbles", scene_trees.pebbles())
    if other:
        second = grid("Beach", 10.0, 10)
        second.location = (20, 0, 0)
        on(second, "Pebbles", modifier.node_group)
    things(rock=True, materials=["Slate"])
    return obj


@builder
def fence() -> Any:
    """Posts and two rails along an arc."""
    obj = path("Path", "arc")
    on(obj, "Fence", scene_trees.fence())
    things(lamp=True)
    return obj


@builder
def tower(floors: int = 5) -> Any:
    """Floors that a Repeat zone stacks."""
    obj = mesh_object("Tower", [], [], [])
    put(on(obj, "Tower", scene_trees.tower()), Floors=floors)
    return obj


@builder
def street() -> Any:
    """Houses in a row: a group within a group within the tree."""
    obj = mesh_object("Street", [], [], [])
    on(obj, "Street", scene_trees.street())
    return obj


@builder
def hills() -> Any:
    """A grid raised by noise."""
    obj = grid("Land", 10.0, 60)
    on(obj, "Hills", scene_trees.hills())
    things(materials=["Snow", "Stone"])
    return obj


@builder
def lamp(shade: str | None = None) -> Any:
    """A lamp on a stand whose shade is chosen in a menu."""
    obj = mesh_object("Lamp", [], [], [])
    modifier = on(obj, "Lamp", scene_trees.lamp())
    if shade:
        put(modifier, Shade=shade)
    return obj


@builder
def wheel() -> Any:
    """A rim with spokes."""
    obj = mesh_object("Wheel", [], [], [])
    on(obj, "Wheel", scene_trees.wheel())
    things(materials=["Chrome"])
    return obj


@builder
def cable() -> Any:
    """A tube that hangs between two points."""
    obj = mesh_object("Cable", [], [], [])
    on(obj, "Cable", scene_trees.cable())
    return obj


@builder
def panels() -> Any:
    """Faces of a block that are inset and pushed out at random."""
    obj = cube("Hull", 4.0, 3)
    on(obj, "Panels", scene_trees.panels())
    things(materials=["Steel"])
    return obj


@builder
def crowd() -> Any:
    """Objects of a collection on a grid of points, each turned at random."""
    obj = grid("Square", 10.0, 5)
    things(trees=True, target=True)
    put(on(obj, "Crowd", scene_trees.crowd()), People=bpy.data.collections["Plants"])
    return obj


@builder
def stairs() -> Any:
    """Steps of a spiral staircase."""
    obj = mesh_object("Stairs", [], [], [])
    on(obj, "Stairs", scene_trees.stairs())
    return obj


@builder
def wall() -> Any:
    """Bricks in rows, every other row shifted."""
    obj = mesh_object("Wall", [], [], [])
    on(obj, "Bricks", scene_trees.wall())
    things(materials=["Clay"])
    return obj


@builder
def garden() -> Any:
    """A tree with frames, reroutes, labels and several Group Inputs: stones, grass and flowers on one ground."""
    obj = grid("Garden", 8.0, 8)
    on(obj, "Garden", scene_trees.garden())
    things(rock=True, materials=["Petal"])
    return obj


@builder
def growth() -> Any:
    """Balls that a simulation raises, frame by frame."""
    obj = grid("Pond", 4.0, 2)
    on(obj, "Bubbles", scene_trees.bubbles())
    return obj


@builder
def shelf() -> Any:
    """Books of random height, made by a For Each zone."""
    obj = mesh_object("Shelf", [], [], [])
    on(obj, "Books", scene_trees.shelf())
    return obj


# Groups that Blender ships.


def asset(name: str) -> Any:
    """Appends the node group from Blender's own assets."""
    root = Path(bpy.utils.resource_path("LOCAL")) / "datafiles" / "assets"
    for file in sorted(root.glob("**/*.blend")):
        if "brushes" in file.parts:
            continue
        with bpy.data.libraries.load(str(file)) as (source, wanted):
            if name in source.node_groups:
                wanted.node_groups = [name]
        if wanted.node_groups:
            break
    group = bpy.data.node_groups[name]
    group.asset_clear()
    return group


@builder
def shipped(group: str, shape: str = "grid", inputs: dict[str, Any] | None = None, **more: Any) -> Any:
    """A shape with a modifier that runs a group which Blender ships: grid, cube, curve, line or hair."""
    makers: dict[str, Callable[[], Any]] = {
        "grid": lambda: grid("Sheet", 4.0, 8),
        "cube": lambda: cube("Block", 2.0),
        "ball": lambda: ball("Ball"),
        "arc": lambda: path("Path", "arc"),
        "hair": lambda: curves_object("Hair", 10, 8, 0.5),
    }
    obj = makers[shape]()
    things(**more)
    put(on(obj, group, asset(group)), **(inputs or {}))
    return obj
