# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads evaluated geometry in Blender 4.2, which has no geometry sets in Python.

The object's own data is one component; the dependency graph shows the others as instances of the object itself,
without an instance number, next to the real instances.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from . import current, modifiers
from .points import add_placed, attribute, curve_points, vertices

_NO_NUMBER = 2**31 - 1
_NAME = ".geonode_probe"


def geometry(evaluated: Any, depsgraph: Any, bounds: Any) -> dict[str, Any]:
    """Counts per component; adds everything to `bounds`."""
    out: dict[str, Any] = {}
    data = evaluated.data
    if isinstance(data, bpy.types.Curve):
        _curve_object(evaluated, bounds, out)
    elif evaluated.type == "META":
        _as_mesh(evaluated, bounds, out)
    else:
        _component(data, bounds, out)
    _instances(evaluated, depsgraph, bounds, out)
    return out


def _curve_object(evaluated: Any, bounds: Any, out: dict[str, Any]) -> None:
    """A curve or text object: its data if nodes created it, else the geometry that it is converted to."""
    data = evaluated.data
    if any(m.type == "NODES" and m.show_viewport and m.node_group is not None for m in evaluated.modifiers):
        if not data.is_evaluated:
            _curves(evaluated.original, bounds, out)
        return
    _as_mesh(evaluated, bounds, out)
    if not out.get("mesh", {}).get("faces"):
        out.pop("mesh", None)
        _curves(evaluated.original, bounds, out)


def _as_mesh(evaluated: Any, bounds: Any, out: dict[str, Any]) -> None:
    mesh = evaluated.to_mesh()
    if mesh is not None:
        _component(mesh, bounds, out)
        evaluated.to_mesh_clear()


def _curves(obj: Any, bounds: Any, out: dict[str, Any]) -> None:
    """Reads curves made by nodes, which Python cannot access: a probe object converts their control points to a wire,
    of which each curve is one connected part, and then the curves as they bend.
    """
    with _wire_of(obj, as_drawn=False) as mesh:
        count = len(mesh.vertices)
        if not count:
            return
        ends = np.empty(len(mesh.edges) * 2, dtype=np.int32)
        mesh.edges.foreach_get("vertices", ends)
        pairs = ends.reshape(-1, 2)
        joined = np.zeros(count, dtype=bool)
        joined[pairs.max(axis=1)[np.abs(pairs[:, 0] - pairs[:, 1]) == 1]] = True
        out["curves"] = {"curves": int(count - joined.sum()), "points": count}
    with _wire_of(obj, as_drawn=True) as mesh:
        _component(mesh, bounds, {})


@contextmanager
def _wire_of(obj: Any, as_drawn: bool) -> Iterator[Any]:
    """The curve component of `obj` as an evaluated wire mesh, made with a temporary tree, mesh and object: through its
    control points, or as the curves are drawn.
    """
    tree: Any = bpy.data.node_groups.new(_NAME, "GeometryNodeTree")
    mesh = bpy.data.meshes.new(_NAME)
    probe = bpy.data.objects.new(_NAME, mesh)
    collection = current.scene().collection
    try:
        tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
        chain = [
            tree.nodes.new(f"GeometryNode{kind}") for kind in ("ObjectInfo", "SeparateComponents", "CurveSplineType")
        ]
        info, parts, poly = chain
        info.inputs["Object"].default_value = obj
        poly.spline_type = "POLY"  # as many points as there are control points
        wire, end = tree.nodes.new("GeometryNodeCurveToMesh"), tree.nodes.new("NodeGroupOutput")
        for source, target in (
            (info.outputs["Geometry"], parts.inputs[0]),
            (parts.outputs["Curve"], poly.inputs["Curve"]),
            (parts.outputs["Curve"] if as_drawn else poly.outputs[0], wire.inputs["Curve"]),
            (wire.outputs[0], end.inputs[0]),
        ):
            tree.links.new(target, source)
        modifiers.add_nodes(probe, _NAME).node_group = tree
        collection.objects.link(probe)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        yield probe.evaluated_get(depsgraph).data
    finally:
        bpy.data.objects.remove(probe)
        bpy.data.meshes.remove(mesh)
        bpy.data.node_groups.remove(tree)


def _component(data: Any, bounds: Any, out: dict[str, Any]) -> None:
    if isinstance(data, bpy.types.Mesh) and len(data.vertices):
        out["mesh"] = {"vertices": len(data.vertices), "edges": len(data.edges), "faces": len(data.polygons)}
    elif isinstance(data, bpy.types.Curves) and len(data.curves):
        out["curves"] = {"curves": len(data.curves), "points": len(data.points)}
    elif isinstance(data, bpy.types.PointCloud) and len(data.points):
        out["pointcloud"] = {"points": len(data.points)}
    elif isinstance(data, bpy.types.Volume) and len(data.grids):
        out["volume"] = {"grids": len(data.grids)}
    bounds.add(_points(data))


def _points(data: Any) -> np.ndarray:
    if isinstance(data, bpy.types.Mesh):
        return vertices(data)
    if isinstance(data, bpy.types.Curves):
        return curve_points(data)
    if isinstance(data, bpy.types.PointCloud):
        return attribute(data, "position", "vector", 3)
    return np.zeros((0, 3))


def _instances(evaluated: Any, depsgraph: Any, bounds: Any, out: dict[str, Any]) -> None:
    world = np.array(evaluated.matrix_world)
    # An object that is scaled to nothing along an axis has no inverse.
    inverse = np.linalg.inv(world) if np.linalg.det(world) else np.linalg.pinv(world)
    seen: set[tuple[int, ...]] = set()
    shapes: dict[int, np.ndarray] = {}
    groups: dict[int, list[np.ndarray]] = {}
    with_curves = False
    for instance in depsgraph.object_instances:
        if not instance.is_instance or instance.parent is None or instance.parent.original != evaluated.original:
            continue
        data = instance.object.data
        number = tuple(instance.persistent_id)
        if number[1] == _NO_NUMBER and instance.object.original == evaluated.original:
            if isinstance(data, bpy.types.Curve):
                with_curves = True
            else:
                _component(data, bounds, out)
            continue
        key = data.as_pointer() if data is not None else 0
        if key not in shapes:
            shapes[key] = _points(data)
        seen.add(number)
        groups.setdefault(key, []).append((inverse @ np.array(instance.matrix_world)).T)
    if seen:
        out["instances"] = {"count": len(seen)}
    for key, matrices in groups.items():
        shape, stack = shapes[key], np.array(matrices)
        if len(shape):
            add_placed(shape, stack, bounds)
        else:
            bounds.add(stack[:, 3, :3])
    if with_curves:  # last: probing changes the dependency graph
        _curves(evaluated.original, bounds, out)
