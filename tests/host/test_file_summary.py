# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory of a file is deterministic and different after every change that it should notice."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import bpy
import pytest
from geonode_assistant.host.file_summary import inventory


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    bpy.context.view_layer.update()
    yield
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def cube() -> bpy.types.Object:
    return bpy.data.objects["Cube"]


def material() -> bpy.types.Material:
    return cube().material_slots[0].material


CHANGES: dict[str, Callable[[], object]] = {
    "renamed": lambda: setattr(cube(), "name", "Box"),
    "moved": lambda: setattr(cube(), "location", (1, 0, 0)),
    "turned": lambda: setattr(cube(), "rotation_euler", (0, 0.1, 0)),
    "hidden": lambda: setattr(cube(), "hide_render", True),
    "parented": lambda: setattr(cube(), "parent", bpy.data.objects["Camera"]),
    "other data": lambda: setattr(cube(), "data", bpy.data.meshes.new("Other")),
    "modifier": lambda: cube().modifiers.new("Array", "ARRAY"),
    "constraint": lambda: cube().constraints.new("LIMIT_LOCATION"),
    "without material": lambda: setattr(cube().material_slots[0], "material", None),
    "property": lambda: cube().__setitem__("mine", 1),
    "removed": lambda: bpy.data.objects.remove(cube()),
    "made": lambda: bpy.data.objects.new("New", None),
    "mesh emptied": lambda: cube().data.clear_geometry(),
    "attribute": lambda: cube().data.attributes.new("mine", "FLOAT", "POINT"),
    "collection": lambda: bpy.data.collections.new("Set"),
    "unlinked": lambda: bpy.data.collections["Collection"].objects.unlink(cube()),
    "colour": lambda: setattr(material(), "diffuse_color", (1, 0, 0, 1)),
    "node": lambda: material().node_tree.nodes.new("ShaderNodeMath"),
    "link": lambda: material().node_tree.links.clear(),
    "frame": lambda: setattr(bpy.context.scene, "frame_end", 7),
    "camera": lambda: setattr(bpy.context.scene, "camera", None),
    "resolution": lambda: setattr(bpy.context.scene.render, "resolution_x", 7),
    "world": lambda: bpy.data.worlds.remove(bpy.data.worlds["World"]),
    "text": lambda: bpy.data.texts.new("T"),
    "action": lambda: cube().keyframe_insert("location"),
    "curve": lambda: bpy.data.curves.new("C", "CURVE").splines.new("POLY"),
    "node group": lambda: bpy.data.node_groups.new("G", "GeometryNodeTree"),
}


def test_the_same_file_has_the_same_inventory() -> None:
    assert inventory() == inventory()
    assert len(inventory()["objects"]) == 3


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_noticed(change: str) -> None:
    before = inventory()
    CHANGES[change]()
    assert inventory() != before
