# SPDX-License-Identifier: GPL-3.0-or-later
"""The built-in tools that read the file for a model. Their results fit the core's contracts."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import bpy

from . import context, current, explain, measure, modifiers, picture, values
from .documents import Context, Tree
from .errors import HostError, near

Arguments = Mapping[str, Any]
Target = Mapping[str, Any]

PICTURE_SIZE = (512, 384)
_WITHOUT_GEOMETRY = frozenset({"ARMATURE", "CAMERA", "EMPTY", "LATTICE", "LIGHT", "LIGHT_PROBE", "SPEAKER"})
_IN_EDIT_MODE = "The object is in Edit Mode, so its mesh is not measured. Ask the artist to leave Edit Mode."


def scene_summary(arguments: Arguments, target: Target, marks: context.Marks | None = None) -> Context:
    """The current scene; with `marks` of trees that have been looked at already."""
    named = target.get("object") if _there(target.get("object")) else None
    return context.capture_context(named, with_tree=False, marks=marks)


def modifier_stack(arguments: Arguments, target: Target) -> dict[str, Any]:
    """The modifiers of an object, with the values of their inputs."""
    obj = target_object(arguments, target)
    return {"object": obj.name, **context.target(obj)}


def tree_ir(arguments: Arguments, target: Target) -> dict[str, Any]:
    """A node group and its nested groups as IR."""
    return tree_document(tree_named(arguments, target))


def tree_named(arguments: Arguments, target: Target) -> str:
    """The tree that a call names, or the one that it is about."""
    name = arguments.get("node_group_name") or target.get("node_group")
    names = [values.block_name(group) for group in bpy.data.node_groups if group.bl_idname == "GeometryNodeTree"]
    if not name:
        raise HostError("unknown_node_group", f"The target has no node group; name one. {near('', sorted(names))}")
    if name not in names:
        raise HostError("unknown_node_group", f'There is no node group "{name}". {near(name, sorted(names))}')
    return str(name)


def tree_document(name: str, read: dict[str, Tree] | None = None) -> dict[str, Any]:
    """A node group and its nested groups as IR, or as they have been `read`."""
    return {"node_group": name, "document": context.without_figures(context.described([], [name], read))}


def geometry_stats(arguments: Arguments, target: Target) -> dict[str, Any]:
    """Measures the geometry that the modifiers of an object produce."""
    obj = geometric_object(arguments, target)
    found = measure.evaluate_object(obj, bpy.context.evaluated_depsgraph_get())
    if obj.mode == "EDIT" and obj.type == "MESH":
        return {"object": obj.name, "evaluated": found, "note": _IN_EDIT_MODE}
    return {"object": obj.name, "evaluated": found}


def take_picture(arguments: Arguments, target: Target) -> dict[str, Any]:
    """A small PNG of an object as evaluated."""
    obj = geometric_object(arguments, target)
    with tempfile.TemporaryDirectory(prefix="geonode-picture-") as folder:
        path = Path(folder) / "picture.png"
        picture.render(obj, path, PICTURE_SIZE, arguments.get("view", "perspective"))
        data = base64.b64encode(path.read_bytes()).decode("ascii")
    return {
        "object": obj.name,
        "image": {"media_type": "image/png", "data": data},
        "width": PICTURE_SIZE[0],
        "height": PICTURE_SIZE[1],
    }


def explain_tree(arguments: Arguments) -> dict[str, Any]:
    """A Geometry Nodes tree in plain words."""
    name = arguments["node_group_name"]
    trees: Any = {values.block_name(one): one for one in bpy.data.node_groups if one.bl_idname == "GeometryNodeTree"}
    if name not in trees:
        raise HostError("unknown_node_group", f'There is no node group "{name}". {near(name, sorted(trees))}')
    return {"lines": [part.text for part in explain.explain(trees[name])]}


def active_target() -> dict[str, Any]:
    """What a call is about that names nothing: the active object and the tree of its active or last modifier."""
    active: Any = current.view_layer().objects.active
    if active is None:
        return {}
    stack = [one for one in active.modifiers if one.type == "NODES" and one.node_group is not None]
    shown = active.modifiers.active if active.modifiers.active in stack else (stack[-1] if stack else None)
    tree = values.block_name(shown.node_group) if shown is not None else None
    return {"object": active.name, "node_group": tree}


def target_object(arguments: Arguments, target: Target) -> Any:
    """The object that a call names, or the one that it is about."""
    name = arguments.get("object_name") or target.get("object")
    if not name:
        raise HostError("unknown_object", "The run has no target; name an object.")
    return modifiers.object_named(name)


def geometric_object(arguments: Arguments, target: Target) -> Any:
    """The object that a call names, or the one that it is about, if it is of a type that shows geometry."""
    obj = target_object(arguments, target)
    if obj.type in _WITHOUT_GEOMETRY:
        raise HostError(
            "object_type_unsupported",
            f'An object of type {obj.type} ("{obj.name}") has no geometry. '
            "Name a mesh, curve, point cloud, volume or text object.",
        )
    return obj


def _there(name: str | None) -> bool:
    return bool(name and bpy.data.objects.get(name) is not None)


TOOLS: dict[str, Callable[[Arguments, Target], Mapping[str, Any]]] = {
    "scene_summary": scene_summary,
    "modifier_stack": modifier_stack,
    "tree_ir": tree_ir,
    "geometry_stats": geometry_stats,
    "picture": take_picture,
}
"""The tools by the IDs of the core's contracts."""
