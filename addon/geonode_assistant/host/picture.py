# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders a picture of one evaluated object with its instances.

Everything needed for it (scene, camera, light, world) is temporary, so the file is unchanged afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import bpy
from mathutils import Matrix, Vector

from . import current, measure, modifiers

NAME = ".geonode_picture"
_DIRECTIONS = {  # from the object to the camera
    "perspective": Vector((-0.62, -1.0, 0.58)).normalized(),
    "front": Vector((0.0, -1.0, 0.0)),
    "side": Vector((1.0, 0.0, 0.0)),
    "top": Vector((0.0, 0.0, 1.0)),
}
_LENS_MM = 60.0
_MARGIN = 1.08
_TUBE = 0.004  # radius of what stands for a line, as a part of the whole size
_LOOKED_AT = 2000  # copies that are looked at for materials
_NEAREST = 1e-3  # between the camera and what it sees
_CLAY = (0.78, 0.66, 0.52)


def render(
    object: Any,
    path: str | Path,
    size: Sequence[int] = (960, 720),
    view: str = "perspective",
    engines: Sequence[str] = ("BLENDER_WORKBENCH", "CYCLES"),
) -> None:
    """Renders the object (or the one of that name) into a picture of `size` pixels, seen from `view`: `perspective`,
    `front`, `side` or `top`. It is a JPEG if the path ends in `.jpg`, else a PNG.

    Uses the first of the engines that is available, Cycles with few samples. Raises `unknown_object`, or OSError if the
    file cannot be written.
    """
    obj = modifiers.object_named(object) if isinstance(object, str) else object
    found = measure.evaluate_object(obj, bpy.context.evaluated_depsgraph_get())
    low, high = _world_bounds(obj, found["bounds"])
    with ExitStack() as undo:
        scene = _scene(obj, low, high, size, _DIRECTIONS[view], undo)
        undo.callback(setattr, obj, "hide_render", obj.hide_render)
        obj.hide_render = False
        _thicken(scene, obj, found, (high - low).length * _TUBE, undo)
        if Path(path).suffix == ".jpg":
            scene.render.image_settings.file_format = "JPEG"
            scene.render.image_settings.quality = 85
        scene.render.filepath = str(path)
        if not any(_render(scene, engine, Path(path)) for engine in engines):
            raise OSError(f"Blender could not write the picture {path}.")


def through_camera(scene_name: str, path: Path, most: Sequence[int]) -> dict[str, Any]:
    """Renders the scene through its camera into a PNG of at most that size: by Cycles with few samples, which needs no
    graphics card, and without compositing. Changes the scene, so it is for a copy of the file. Returns width and
    height. Raises OSError if it cannot be written.
    """
    scene: Any = bpy.data.scenes[scene_name]
    wide, high = scene.render.resolution_x, scene.render.resolution_y
    shrink = min(most[0] / wide, most[1] / high, 1.0)
    size = [max(1, round(side * shrink)) for side in (wide, high)]
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    for wide_reaching in ("use_border", "use_multiview", "use_compositing", "use_sequencer", "use_file_extension"):
        setattr(scene.render, wide_reaching, False)
    settings = scene.render.image_settings
    if hasattr(settings, "media_type"):
        settings.media_type = "IMAGE"
    settings.file_format = "PNG"
    scene.render.filepath = str(path)
    if not _render(scene, "CYCLES", path):
        raise OSError("Blender could not render the scene.")
    return {"width": size[0], "height": size[1]}


def _world_bounds(obj: Any, local: list[list[float]] | None) -> list[Vector]:
    """Lowest and highest corner in world space; one metre around the origin for empty geometry."""
    bounds = local or [[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]]
    corners = [
        obj.matrix_world @ Vector((bounds[i][0], bounds[j][1], bounds[k][2]))
        for i in (0, 1)
        for j in (0, 1)
        for k in (0, 1)
    ]
    return [Vector([pick(c[axis] for c in corners) for axis in range(3)]) for pick in (min, max)]


def _thicken(scene: Any, obj: Any, found: dict[str, Any], radius: float, undo: ExitStack) -> None:
    """Adds a temporary object that shows bare curves and loose edges, which do not render, as thin tubes."""
    parts = []
    if "curves" in found:
        parts.append("Curve")
    if found.get("mesh", {}).get("faces") == 0 and found["mesh"]["edges"]:
        parts.append("Mesh")
    if not parts:
        return
    tree: Any = bpy.data.node_groups.new(NAME, "GeometryNodeTree")
    undo.callback(bpy.data.node_groups.remove, tree)
    mesh = bpy.data.meshes.new(NAME)
    undo.callback(bpy.data.meshes.remove, mesh)
    tubes = bpy.data.objects.new(NAME, mesh)
    undo.callback(bpy.data.objects.remove, tubes)
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    info, split, profile, join, end = (
        tree.nodes.new(kind)
        for kind in (
            "GeometryNodeObjectInfo",
            "GeometryNodeSeparateComponents",
            "GeometryNodeCurvePrimitiveCircle",
            "GeometryNodeJoinGeometry",
            "NodeGroupOutput",
        )
    )
    info.inputs["Object"].default_value = obj
    profile.inputs["Resolution"].default_value = 8
    next(s for s in profile.inputs if s.name == "Radius" and s.enabled).default_value = radius
    tree.links.new(split.inputs[0], info.outputs["Geometry"])
    for part in parts:
        source = split.outputs[part]
        if part == "Mesh":
            to_curve = tree.nodes.new("GeometryNodeMeshToCurve")
            tree.links.new(to_curve.inputs["Mesh"], source)
            source = to_curve.outputs[0]
        tube = tree.nodes.new("GeometryNodeCurveToMesh")
        tree.links.new(tube.inputs["Curve"], source)
        tree.links.new(tube.inputs["Profile Curve"], profile.outputs["Curve"])
        tree.links.new(join.inputs[0], tube.outputs[0])
    tree.links.new(end.inputs[0], join.outputs[0])
    modifiers.add_nodes(tubes, NAME).node_group = tree
    tubes.matrix_world = obj.matrix_world
    scene.collection.objects.link(tubes)


def _scene(obj: Any, low: Vector, high: Vector, size: Sequence[int], direction: Vector, undo: ExitStack) -> Any:
    scene = bpy.data.scenes.new(NAME)
    undo.callback(bpy.data.scenes.remove, scene)
    scene.collection.objects.link(obj)
    camera_data = bpy.data.cameras.new(NAME)
    undo.callback(bpy.data.cameras.remove, camera_data)
    camera = bpy.data.objects.new(NAME, camera_data)
    undo.callback(bpy.data.objects.remove, camera)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.frame_set(current.scene().frame_current)
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    scene.render.image_settings.color_mode = "RGB"
    scene.render.film_transparent = False
    view: Any = scene.view_settings
    view.view_transform = "Standard"
    _aim(camera, low, high, size, direction)
    _light_up(scene, obj, undo)
    return scene


def _aim(camera: Any, low: Vector, high: Vector, size: Sequence[int], direction: Vector) -> None:
    """Points the camera along a direction, as close as the whole box fits."""
    data = camera.data
    data.lens = _LENS_MM
    data.sensor_fit = "HORIZONTAL"
    tan_x = data.sensor_width / 2 / _LENS_MM
    tan_y = tan_x * size[1] / size[0]
    center = (low + high) / 2
    rotation = direction.to_track_quat("Z", "Y")
    inverse = rotation.inverted()
    corners = [
        inverse @ (Vector((x, y, z)) - center)
        for x in (low.x, high.x)
        for y in (low.y, high.y)
        for z in (low.z, high.z)
    ]
    # Each corner must be inside the view frustum; then the shift caused by perspective is centred.
    shift = Vector((0.0, 0.0))
    for _ in range(4):
        distance = max(max(abs(c.x - shift.x) / tan_x, abs(c.y - shift.y) / tan_y) * _MARGIN + c.z for c in corners)
        # What has no extent has no distance of its own.
        distance = max(distance, max(c.z for c in corners) + _NEAREST)
        seen = [((c.x - shift.x) / (distance - c.z), (c.y - shift.y) / (distance - c.z)) for c in corners]
        for axis in (0, 1):
            middle = (min(s[axis] for s in seen) + max(s[axis] for s in seen)) / 2
            shift[axis] += middle * distance
    radius = max((high - low).length / 2, 1e-4)
    place = center + rotation @ Vector((shift.x, shift.y, distance))
    camera.matrix_world = Matrix.Translation(place[:]) @ rotation.to_matrix().to_4x4()
    data.clip_start = max(distance / 1000, (distance - radius) / 10, 1e-5)
    data.clip_end = distance + radius * 10


def _coloured(obj: Any) -> bool:
    """Whether what an object shows has materials, its own or those that its trees give to it or to its copies."""
    if obj.material_slots:
        return True
    graph = bpy.context.evaluated_depsgraph_get()
    if any(getattr(obj.evaluated_get(graph).data, "materials", ())):
        return True
    for one in islice(graph.object_instances, _LOOKED_AT):
        shows = one.parent is not None and one.parent.original == obj
        if shows and any(getattr(getattr(one.object, "data", None), "materials", ())):
            return True
    return False


def _light_up(scene: Any, obj: Any, undo: ExitStack) -> None:
    shading = scene.display.shading
    shading.light = "STUDIO"
    with suppress(TypeError):  # the even, bright light; studio lights are files that a packager may leave out
        shading.studio_light = "paint.sl"
    if _coloured(obj):
        shading.color_type = "MATERIAL"
    else:
        shading.color_type = "SINGLE"
        shading.single_color = _CLAY
    shading.show_cavity = True
    shading.cavity_type = "BOTH"
    shading.cavity_ridge_factor = 0.0
    shading.cavity_valley_factor = 1.0
    shading.curvature_ridge_factor = 0.35
    shading.curvature_valley_factor = 0.6
    shading.show_shadows = True
    shading.shadow_intensity = 0.45
    shading.show_specular_highlight = True
    scene.display.render_aa = "5"
    scene.display.light_direction = (-0.45, 0.35, 0.82)
    scene.display.shadow_focus = 0.6
    world = bpy.data.worlds.new(NAME)
    undo.callback(bpy.data.worlds.remove, world)
    world.color = (0.78, 0.82, 0.87)
    scene.world = world
    shading.background_type = "WORLD"
    sun_data: Any = bpy.data.lights.new(NAME, "SUN")
    undo.callback(bpy.data.lights.remove, sun_data)
    sun_data.energy = 3.0
    sun_data.angle = math.radians(8)
    sun = bpy.data.objects.new(NAME, sun_data)
    undo.callback(bpy.data.objects.remove, sun)
    sun.rotation_euler = (math.radians(35), math.radians(-20), math.radians(-30))
    scene.collection.objects.link(sun)


def _render(scene: Any, engine: str, path: Path) -> bool:
    before = path.stat().st_mtime_ns if path.is_file() else None
    try:
        scene.render.engine = engine
        if engine == "CYCLES":
            scene.cycles.samples = 16
            scene.cycles.use_denoising = False
            scene.cycles.device = "CPU"
        bpy.ops.render.render(write_still=True, scene=scene.name)
    except (RuntimeError, TypeError, AttributeError):
        return False
    return path.is_file() and path.stat().st_mtime_ns != before
