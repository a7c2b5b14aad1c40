# SPDX-License-Identifier: GPL-3.0-or-later
"""A summary of the whole file, detailed enough to notice most changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import bpy

from . import id_state

# Blender does not restore these on undo.
_KEPT = frozenset({"window_managers", "screens", "workspaces"})


def inventory() -> dict[str, Any]:
    """The names of all data-blocks by kind, with details for the kinds that artists use most."""
    return {kind: list(map(describe, blocks)) for kind, describe, blocks in _kinds()}


def is_as(before: dict[str, Any]) -> bool:
    """Whether the file has this inventory. Ends at the first difference; kinds of which another number is there come
    before any block is read.
    """
    kinds = list(_kinds())
    if any(len(blocks) != len(before[kind]) for kind, _, blocks in kinds):
        return False
    return all(
        describe(block) == known
        for kind, describe, blocks in kinds
        for block, known in zip(blocks, before[kind], strict=True)
    )


def _kinds() -> Iterator[tuple[str, Callable[[Any], Any], list[Any]]]:
    """The kinds of data-blocks, what describes one, and the blocks."""
    for prop in bpy.data.bl_rna.properties:
        if prop.type == "COLLECTION" and prop.identifier not in _KEPT:
            blocks = [block for block in getattr(bpy.data, prop.identifier) if isinstance(block, bpy.types.ID)]
            yield prop.identifier, _DESCRIBED.get(prop.identifier, _name), blocks


def _name(block: Any) -> Any:
    own = block.library is None and not id_state.is_plain(block)
    return (
        block.name,
        block.library.filepath if block.library is not None else None,
        block.use_fake_user,
        id_state.read(block) if own else None,
    )


def _object(obj: Any) -> Any:
    return (
        *_name(obj),
        obj.type,
        _of(obj.data),
        _of(obj.parent),
        [tuple(row) for row in obj.matrix_basis],
        [(m.name, m.type, m.show_viewport, m.show_render) for m in obj.modifiers],
        [(c.name, c.type) for c in obj.constraints],
        [_of(slot.material) for slot in obj.material_slots],
        (obj.hide_viewport, obj.hide_render, obj.pass_index),
    )


def _mesh(mesh: Any) -> Any:
    layers = [(layer.name, layer.domain, layer.data_type) for layer in mesh.attributes]
    return (*_name(mesh), len(mesh.vertices), len(mesh.edges), len(mesh.polygons), layers, len(mesh.materials))


def _curve(curve: Any) -> Any:
    return (*_name(curve), [(s.type, len(s.points), len(s.bezier_points)) for s in curve.splines])


def _collection(collection: Any) -> Any:
    return (*_name(collection), [o.name for o in collection.objects], [c.name for c in collection.children])


def _material(material: Any) -> Any:
    return (*_name(material), tuple(material.diffuse_color), _tree(material.node_tree))


def _node_group(tree: Any) -> Any:
    return (*_name(tree), _tree(tree))


def _scene(scene: Any) -> Any:
    root = scene.collection
    return (
        *_name(scene),
        (scene.frame_start, scene.frame_end, scene.frame_current),
        _of(scene.camera),
        _of(scene.world),
        ([o.name for o in root.objects], [c.name for c in root.children]),
        (scene.render.engine, scene.render.resolution_x, scene.render.resolution_y, scene.render.filepath),
    )


def _tree(tree: Any) -> Any:
    return None if tree is None else ([(node.name, node.bl_idname) for node in tree.nodes], len(tree.links))


def _of(block: Any) -> str | None:
    return block.name if block is not None else None


_DESCRIBED: dict[str, Callable[[Any], Any]] = {
    "objects": _object,
    "meshes": _mesh,
    "curves": _curve,
    "collections": _collection,
    "materials": _material,
    "node_groups": _node_group,
    "scenes": _scene,
}
