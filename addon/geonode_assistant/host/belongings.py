# SPDX-License-Identifier: GPL-3.0-or-later
"""What belongs to the data-blocks of the open file: their parts, each known by where it is, not by its name.

A part that stays in its place as long as it exists is known by its address; layers and groups of a mesh and bones,
which move, by their names; what can only be counted by how many there are.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Any

import bmesh
import bpy

Key = tuple[Any, ...]
"""Kind, ``session_uid`` of the data-block, and what tells a part from others of its kind."""
Belongings = dict[Key, tuple[str, int]]
"""What each is called, and how many there are."""
_Part = tuple[Key, tuple[str, int]]
PLACE = "places_in_scenes"
"""The kind of part that an object has as long as it is in a scene."""
_ATTRIBUTES, _UV_LAYERS, _BONES, _GROUPS = "attributes", "uv_layers", "bones", "vertex_groups"
_BUILT_IN = frozenset({
    "position", "sharp_face", "sharp_edge", "material_index", "crease_edge", "crease_vert", "bevel_weight_edge",
    "bevel_weight_vert", "custom_normal", "freestyle_edge", "freestyle_face", "radius", "id", "skin_radius",
})  # fmt: skip
"""Attributes that are properties of elements."""
_ON_MOST = (
    "position", ".edge_verts", ".corner_vert", ".corner_edge", "sharp_face", "material_index", "sharp_edge",
    ".select_vert", ".select_edge", ".select_poly",
)  # fmt: skip
"""Of these and of what Blender hides, those that most meshes have."""
_APART = frozenset({
    "libraries", "window_managers", "screens", "workspaces", "brushes", "texts", "fonts", "paint_curves",
})  # fmt: skip
"""Kinds of data-blocks without parts that a script could take away."""
LISTS = {
    "ObjectModifiers": "modifiers",
    "ObjectConstraints": "constraints",
    "PoseBoneConstraints": "constraints",
    "ObjectShaderFx": "effects",
    "AnimDataDrivers": "drivers",
    "NlaTracks": "nla_tracks",
    "NlaStrips": "nla_strips",
    "Nodes": "nodes",
    "NodeTreeInterface": "inputs_and_outputs",
    "TimelineMarkers": "timeline_markers",
    "ViewLayers": "view_layers",
    "ActionFCurves": "animation_curves",
    "ActionChannelbagFCurves": "animation_curves",
    "ActionLayers": "animation_layers",
    "ActionSlots": "animation_slots",
    "GreasePencilLayers": "grease_pencil_layers",
    "AnnotationLayers": "grease_pencil_layers",
    "GreasePencilv3Layers": "grease_pencil_layers",
    "MaskLayers": "mask_layers",
}
"""Types of lists whose parts are known by their address, with the kind of these."""
NAMED_LISTS = {
    "UVLoopLayers": _UV_LAYERS, "LoopColors": _ATTRIBUTES, "ArmatureEditBones": _BONES, "VertexGroups": _GROUPS,
}  # fmt: skip
"""Types of lists whose parts are known by their names; those of attributes are all called ``AttributeGroup…``."""
NAMED = tuple(
    getattr(bpy.types, name)
    for name in ("Attribute", "MeshUVLoopLayer", "MeshLoopColorLayer", "Bone", "EditBone", "VertexGroup")
)
"""Types of such parts."""
ELEMENTS = frozenset({"points", "surface"})
"""Kinds of what a mesh consists of."""
WEIGHTS = "weights"
"""The kind of the weights of an object's vertices, of which only the number is known."""
NAMED_KINDS = (_ATTRIBUTES, _UV_LAYERS, _BONES, _GROUPS)
"""Kinds of such parts."""


def lists() -> Iterator[tuple[str, Any]]:
    """The kinds of data-blocks, with the list of each."""
    properties: Any = bpy.data.bl_rna.properties
    for prop in properties:
        if prop.type == "COLLECTION" and prop.fixed_type.identifier != "ID":
            yield prop.identifier, getattr(bpy.data, prop.identifier)


def uids(kinds: Iterable[Any] | None = None) -> set[int]:
    """The ``session_uid`` of every data-block in these lists, or of all."""
    found: set[int] = set()
    for blocks in (one for _, one in lists()) if kinds is None else kinds:
        found.update(numbers(blocks))
    return found


def of_file() -> Belongings:
    """What belongs to the file's own data-blocks, and which objects are in scenes."""
    found: Belongings = {}
    linked = linked_uids()
    for kind, blocks in lists():
        if kind not in _APART:
            for block in blocks:
                if not linked or block.session_uid not in linked:
                    found.update(of(block))
    for scene in bpy.data.scenes:
        names = zip(numbers(scene.objects), scene.objects.keys(), strict=True)
        found.update(((PLACE, uid), (name, 1)) for uid, name in names if uid not in linked)
    found.update(weights(obj for obj in bpy.data.objects if not linked or obj.session_uid not in linked))
    return found


def weights(objects: Iterable[Any]) -> Iterator[_Part]:
    """How many weights the vertices of these objects have."""
    counted: dict[int, int] = {}
    for obj in objects:
        if obj.type == "MESH" and len(obj.vertex_groups):
            uid = obj.data.session_uid
            if uid not in counted:
                counted[uid] = _weights(obj.data)
            if counted[uid]:
                yield (WEIGHTS, obj.session_uid), ("vertices", counted[uid])


def _weights(mesh: Any) -> int:
    if not mesh.is_editmode:
        return sum([len(vertex.groups) for vertex in mesh.vertices])
    edited = bmesh.from_edit_mesh(mesh)
    layer = edited.verts.layers.deform.active
    return sum(len(vertex[layer]) for vertex in edited.verts) if layer is not None else 0


def numbers(blocks: Any, name: str = "session_uid") -> array[int]:
    """A whole number of each data-block in a list, in its order."""
    values = array("i", bytes(4 * len(blocks)))
    blocks.foreach_get(name, values)
    return values


def linked_uids() -> set[int]:
    """The ``session_uid`` of the data-blocks that are linked from other files."""
    if not len(bpy.data.libraries):
        return set()
    return {block.session_uid for _, blocks in lists() for block in blocks if block.library is not None}


def of(block: Any) -> Iterator[_Part]:
    """What belongs to one data-block."""
    has_materials, has_tree, has_shapes, read = _known(type(block), block)
    yield from _animation(block)
    uid = block.session_uid
    for name in block.keys():  # noqa: SIM118
        yield ("properties", uid, name), (name, 1)
    if has_materials:
        yield from _counted("material_slots", uid, block.materials)
    if has_shapes and block.shape_keys is not None:
        # The data-block of the keys stays in the file when a mesh loses them.
        yield ("shapes", uid), ("shape keys", len(block.shape_keys.key_blocks))
    if read is not None:
        yield from read(block, uid)
    tree = block.node_tree if has_tree else None
    if tree is not None:
        yield from _tree(tree, tree.session_uid)
        yield from _animation(tree)


_types: dict[type, tuple[bool, bool, bool, Any]] = {}


def _known(kind: type, block: Any) -> tuple[bool, bool, bool, Any]:
    """Whether data-blocks of a type have materials, a node tree and shape keys, and what reads their other parts."""
    if kind not in _types:
        has = [hasattr(block, name) for name in ("materials", "node_tree", "shape_keys")]
        _types[kind] = has[0], has[1], has[2], _READ.get(block.id_type)
    return _types[kind]


def kind_of(parts: Any) -> tuple[str, bool]:
    """The kind of the parts in a list, if they are known; and whether by their names."""
    identifier = parts.bl_rna.identifier
    if identifier.startswith("AttributeGroup"):
        return _ATTRIBUTES, True
    if identifier in NAMED_LISTS:
        return NAMED_LISTS[identifier], True
    return LISTS.get(identifier, ""), False


def key_of(parts: Any, part: Any) -> Key | None:
    """What a part in a list is known by; None for those that are not."""
    kind, named = kind_of(parts)
    if not kind:
        return None
    return (*owner_of(kind, part), part.name if named else part.as_pointer())


def owner_of(kind: str, part: Any) -> tuple[str, int]:
    """Kind and data-block of a part; a UV map is known as such, whichever list it was found in."""
    block = part.id_data
    if kind == _ATTRIBUTES and part.name in getattr(block, "uv_layers", ()):
        kind = _UV_LAYERS
    return kind, block.session_uid


def trees() -> Iterator[Any]:
    """The node trees of the file, also those of other data-blocks."""
    yield from bpy.data.node_groups
    yield from (block.node_tree for block in owners_of_trees().values())


def owners_of_trees() -> dict[int, Any]:
    """By the ``session_uid`` of a node tree that belongs to another data-block, that data-block."""
    data: Any = bpy.data
    lists = (data.materials, data.worlds, data.lights, data.linestyles, data.textures, data.scenes)
    blocks = (block for one in lists for block in one)
    return {tree.session_uid: one for one in blocks if (tree := getattr(one, "node_tree", None)) is not None}


def owners_in_context() -> list[Any]:
    """The data-blocks that an operator may change: those of what is selected or edited, and of the scene."""
    context: Any = bpy.context
    objects = {context.active_object, *(context.selected_objects or ()), *(context.objects_in_mode or ())} - {None}
    found: dict[int, Any] = {}
    for one in (context.scene, getattr(context.scene, "world", None)):
        _add(found, one)
    for obj in objects:
        _add(found, obj)
        for slot in obj.material_slots:
            _add(found, slot.material)
    return list(found.values())


def with_actions(blocks: Iterable[Any]) -> list[Any]:
    """These data-blocks, the actions that animate them, the data of objects and its shape keys."""
    found: dict[int, Any] = {}
    for block in blocks:
        _add(found, block)
    return list(found.values())


def _add(found: dict[int, Any], block: Any) -> None:
    if block is not None and block.session_uid not in found:
        found[block.session_uid] = block
        animated = getattr(block, "animation_data", None)
        if animated is not None:
            _add(found, animated.action)
        if isinstance(block, bpy.types.Object):
            _add(found, block.data)
        _add(found, getattr(block, "shape_keys", None))


def curves(action: Any) -> list[Any]:
    """The curves of an action, wherever this Blender keeps them."""
    if not hasattr(action, "layers"):
        return list(action.fcurves)
    strips = [strip for layer in action.layers for strip in layer.strips]
    return [curve for strip in strips for bag in strip.channelbags for curve in bag.fcurves]


def is_artists(attribute: str) -> bool:
    """Whether an attribute is an artist's: Blender makes and removes the others itself."""
    return not attribute.startswith(".") and attribute not in _BUILT_IN


def _staying(kind: str, uid: int, parts: Any) -> Iterable[_Part]:
    if not len(parts):
        return ()
    return [((kind, uid, one.as_pointer()), (getattr(one, "name", "") or getattr(one, "info", ""), 1)) for one in parts]


def _named(kind: str, uid: int, parts: Any) -> Iterable[_Part]:
    return [((kind, uid, name), (name, 1)) for name in parts.keys()] if len(parts) else ()  # noqa: SIM118


def _counted(kind: str, uid: int, parts: Any) -> Iterable[_Part]:
    return [((kind, uid), ("", len(parts)))] if len(parts) else ()


def _animation(block: Any) -> Iterator[_Part]:
    data = getattr(block, "animation_data", None)
    if data is None:
        return
    uid = block.session_uid
    for curve in data.drivers:
        yield ("drivers", uid, curve.as_pointer()), (f"{curve.data_path} {curve.array_index}", 1)
    yield from _staying("nla_tracks", uid, data.nla_tracks)
    for track in data.nla_tracks:
        yield from _staying("nla_strips", uid, track.strips)


def _object(obj: Any, uid: int) -> Iterator[_Part]:
    yield from _staying("modifiers", uid, obj.modifiers)
    yield from _staying("constraints", uid, obj.constraints)
    yield from _named(_GROUPS, uid, obj.vertex_groups)
    yield from _staying("effects", uid, getattr(obj, "shader_effects", ()))
    if obj.pose is not None:
        for bone in obj.pose.bones:
            yield from _staying("constraints", uid, bone.constraints)


def _attributes(block: Any, uid: int) -> Iterator[_Part]:
    layers: Any = getattr(block, "uv_layers", ())
    maps = set(layers.keys()) if len(layers) else set()
    for name in maps:
        yield (_UV_LAYERS, uid, name), (name, 1)
    # Blender takes long to list them, and mostly there are only its own.
    attributes = block.attributes
    others = len(attributes) - len(maps)
    for name in _ON_MOST:
        others -= name in attributes
    for name in attributes.keys() if others else ():
        if is_artists(name) and name not in maps:
            yield (_ATTRIBUTES, uid, name), (name, 1)


def _mesh(mesh: Any, uid: int) -> Iterator[_Part]:
    yield from _attributes(mesh, uid)
    # While it is edited, the mesh itself is as it was before.
    edited = bmesh.from_edit_mesh(mesh) if mesh.is_editmode else None
    if len(mesh.polygons if edited is None else edited.faces):
        yield ("surface", uid), ("faces", 1)
    yield from (
        (key, ("vertices", count))
        for key, (_, count) in _counted("points", uid, mesh.vertices if edited is None else edited.verts)
    )


def _tree(tree: Any, uid: int) -> Iterator[_Part]:
    yield from _staying("nodes", uid, tree.nodes)
    yield from _staying("inputs_and_outputs", uid, tree.interface.items_tree)
    links: Belongings = {}
    for link in tree.links:
        key = ("links", uid, link.to_node.as_pointer(), link.to_socket.identifier)
        name, count = links.get(key, (f"to {link.to_node.name} › {link.to_socket.name}", 0))
        links[key] = name, count + 1
    yield from links.items()


def _scene(scene: Any, uid: int) -> Iterator[_Part]:
    yield from _staying("timeline_markers", uid, scene.timeline_markers)
    yield from _staying("view_layers", uid, scene.view_layers)
    if scene.rigidbody_world is not None:
        yield ("rigid_body_worlds", uid), ("", 1)
    editor = scene.sequence_editor
    if editor is not None:
        yield from _counted("strips", uid, editor.strips_all if hasattr(editor, "strips_all") else editor.sequences_all)


def _action(action: Any, uid: int) -> Iterator[_Part]:
    yield from _staying("animation_layers", uid, getattr(action, "layers", ()))
    for slot in getattr(action, "slots", ()):
        yield ("animation_slots", uid, slot.as_pointer()), (slot.identifier, 1)
    for curve in curves(action):
        name = f"{curve.data_path} {curve.array_index}"
        yield ("animation_curves", uid, curve.as_pointer()), (name, 1)
        if len(curve.keyframe_points):
            yield ("keys", uid, curve.as_pointer()), (name, len(curve.keyframe_points))


def _armature(armature: Any, uid: int) -> Iterator[_Part]:
    yield from _named(_BONES, uid, armature.edit_bones if armature.is_editmode else armature.bones)
    yield from _counted("bone_collections", uid, armature.collections)


def _pencil(pencil: Any, uid: int) -> Iterator[_Part]:
    yield from _staying("grease_pencil_layers", uid, pencil.layers)
    for layer in pencil.layers:
        if len(layer.frames):
            yield ("drawings", uid, layer.as_pointer()), (getattr(layer, "name", ""), len(layer.frames))


_READ = {
    "OBJECT": _object,
    "MESH": _mesh,
    "CURVE": lambda curve, uid: _counted("splines", uid, curve.splines),
    "CURVES": lambda curves, uid: (*_attributes(curves, uid), *_counted("curves", uid, curves.curves)),
    "POINTCLOUD": lambda cloud, uid: (*_attributes(cloud, uid), *_counted("points", uid, cloud.points)),
    "META": lambda ball, uid: _counted("metaball_elements", uid, ball.elements),
    "KEY": lambda keys, uid: _staying("shape_keys", uid, keys.key_blocks),
    "ARMATURE": _armature,
    "NODETREE": _tree,
    "SCENE": _scene,
    "ACTION": _action,
    "GREASEPENCIL": _pencil,
    "GREASEPENCIL_V3": _pencil,
    "MASK": lambda mask, uid: _staying("mask_layers", uid, mask.layers),
    "CAMERA": lambda camera, uid: _counted("background_images", uid, camera.background_images),
    "IMAGE": lambda image, uid: _counted("tiles", uid, image.tiles) if image.source == "TILED" else (),
    "PALETTE": lambda palette, uid: _counted("colors", uid, palette.colors),
}
"""By the type of a data-block, what reads the parts that only these have."""


def lost(before: Belongings, after: Belongings, left: set[int]) -> Belongings:
    """What is gone of data-blocks that are still there (``left``)."""
    found: Belongings = {}
    for key, (name, count) in before.items():
        now = after.get(key)
        if (now is None or now[1] < count) and key[1] in left:
            found[key] = name, count - (now[1] if now is not None else 0)
    return found
