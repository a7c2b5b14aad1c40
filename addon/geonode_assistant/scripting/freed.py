# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a script that point to what Blender frees or moves: they raise ``ReferenceError`` from then on.

Blender itself does this for data-blocks, but not for their vertices, splines, keyframes, sockets and layers. Before and
after a method that may free or move data, what the script's objects point to is looked for in their data-block; what
could be reached before and cannot any more is gone. The core finds the objects and changes them
(``rust/python/src/references.rs``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import bmesh
import bpy

from .. import native
from ..host import rna
from . import watches
from .reached import families, shared_types
from .recorded_values import MATH
from .watches import Evaluation, Interface, Watch

METHODS = frozenset({
    "add", "add_curves", "add_strokes", "append", "apply_pose_from_action", "asset_clear", "assign", "bake",
    "bl_system_properties_get", "blend_pose_from_action", "calc_loop_triangles", "calc_tangents", "channelbag",
    "check", "clear", "clear_geometry", "close", "convert_to_keyframes", "convert_to_samples", "create",
    "create_gpencil_data", "deduplicate", "delete_frame", "description", "driver_add", "duplicate",
    "edge_creases_ensure", "edge_creases_remove", "ensure", "evaluated_geometry", "fcurve_ensure_for_datablock",
    "flip_normals", "flip_with_pose", "free", "free_tangents", "from_pydata", "handles_recalc", "init", "initialize",
    "insert", "interface_update", "key_insert", "keyframe_delete", "keyframe_insert", "local_view_set", "make_local",
    "move", "move_bottom", "move_to_layer_group", "move_to_parent", "move_top", "new", "new_from_fcurve",
    "new_from_object", "new_panel", "new_socket", "normals_split_custom_set",
    "normals_split_custom_set_from_vertices", "pack", "pair_with_output", "pin_ensure", "pop", "property_unset",
    "remove", "remove_curves", "remove_gpencil_data", "remove_strokes", "rename", "render", "reorder_curves",
    "reorder_strokes", "reset", "resize", "resize_curves", "resize_strokes", "scale", "separate",
    "set_sharp_from_angle", "set_types", "set_vertex_weights", "shade_flat", "shade_smooth",
    "shape_key_add", "sort", "split", "split_faces", "start", "swap", "unassign", "update_from_editmode", "validate",
    "validate_material_indices", "vertex_creases_ensure", "vertex_creases_remove", "vertex_group_assign",
    "vertex_group_remove", "vertex_indices_set", "vertex_paint_mask_ensure", "weight_set",
})  # fmt: skip
"""Methods of Blender's data that may free or move some of it; those of ``removals.METHODS`` do too."""
FREES_NOTHING = frozenset({
    "AxisRollFromMatrix", "MatrixFromAxisRoll", "active", "align_roll", "animation_data_create", "area", "asset_mark",
    "bbone_segment_matrix", "calc_length", "calc_matrix_camera", "calc_smooth_groups", "camera_fit_coords",
    "compute_bbone_handles", "contains_tree", "convert_local_to_pose", "convert_space", "copy",
    "count_selected_items", "cursor_set", "domain_size", "evaluate", "evaluate_envelope", "evaluated_get", "find",
    "find_armature", "find_by_name", "flip", "from_socket", "get", "get_frame_at", "get_output_node", "has_objects",
    "has_selected_objects", "hide_get", "hide_set", "holdout_get", "icon", "id_eval_get", "id_type_updated",
    "indirect_only_get", "is_deform_modified", "is_input_used", "is_input_visible", "is_modified", "label", "link",
    "local_view_get", "normals_polygon_get", "normals_split_get", "normals_vertex_get", "panel", "poll",
    "progress_begin", "progress_end", "progress_update", "range", "region_to_view", "row", "select_get", "select_set",
    "statistics", "swap_multi_input_sort_id", "tag", "tag_positions_changed", "tag_redraw", "to_string", "transform",
    "update_autoflags", "update_tag", "use_spherical_stereo", "user_of_id", "users", "view_frame", "view_to_region",
    "visible_get", "visible_in_viewport_get", "weight", "weight_get",
})  # fmt: skip
"""Methods that leave all data where it is: each of Blender's that a script may call is here or in the others."""
_IN_PLACE = frozenset({
    "Nodes", "ObjectModifiers", "ObjectConstraints", "PoseBoneConstraints", "CurveSplines", "VertexGroups",
    "ArmatureEditBones", "MetaBallElements", "ActionFCurves", "ActionChannelbagFCurves",
})  # fmt: skip
"""Lists whose ``new`` moves nothing: each part has memory of its own. A new link replaces another, and changes
the types of reroutes' sockets."""
_SEVERAL = frozenset({"IDMaterials", "CollectionChildren", "VertexGroups"})
"""Lists whose methods free or move parts of other data-blocks too: material slots, layer collections, the weights of a
mesh."""
_OF_THEIR_OWN = {
    "SplinePoints": "SplinePoint",
    "SplineBezierPoints": "BezierSplinePoint",
    "FCurveKeyframePoints": "Keyframe",
    "ColorRampElements": "ColorRampElement",
    "CurveMapPoints": "CurveMapPoint",
    "CollectionChildren": "LayerCollection",
}
"""Lists whose methods move and free nothing but their elements, by the type of these."""
STORED = frozenset({
    "type", "data_type", "socket_type", "mode", "domain", "operation", "input_type", "blend_type", "dimensions",
    "body", "body_format", "data", "in_out", "node_tree", "points_u", "points_v", "points_w", "structure_type",
    "subtype", "rotation_type", "selection_type", "auto_remove", "drawing", "shape", "tool", "bevel_resolution",
    "phase", "fluid_type", "ik_solver", "socket_idname", "source", "solver", "noise_dimensions", "active_texture",
    "auto_smoothing", "extrapolation",
})  # fmt: skip
"""Properties that decide which parts there are."""


EVALUATING = frozenset({
    "closest_point_on_mesh", "depsgraph", "evaluated_depsgraph_get", "frame_set", "ray_cast", "to_curve",
    "to_curve_clear", "to_mesh", "to_mesh_clear", "update",
})  # fmt: skip
"""Names of Blender's data with which it may evaluate, or free what it has evaluated."""
EVALUATED = frozenset({"Context", "Depsgraph", "Object", "Scene", "ViewLayer"})
"""The types of which these do so."""


def prepare() -> None:
    """Lets Blender make its types, of which a new one would look like a change of the script's."""
    families()


def begin() -> None:
    """Called before the first line of a script."""
    core = native.core()
    block = rna.a_block()
    core.references_begin(
        *_kinds(), (block, block.as_pointer(), block.bl_rna.as_pointer()), bpy.context, list(shared_types())
    )
    sample = bmesh.new()
    core.elements_begin(*_of_bmesh(), (sample, sample.verts))
    sample.free()
    for name, made in _MAKES.items():
        setattr(bmesh, name, _told(made))
    graph: Any = bpy.types.Depsgraph.bl_rna
    core.walks_begin(bpy.types.bpy_struct, _lists(), graph.as_pointer())
    core.properties_begin(list(_property_types()))


def end() -> None:
    """Called after the last line of a script."""
    core = native.core()
    for name, made in _MAKES.items():
        setattr(bmesh, name, made)
    core.properties_end()
    core.walks_end()
    core.elements_end()
    core.references_end()
    watches.forget_all()


_MAKES = {name: getattr(bmesh, name) for name in ("new", "from_edit_mesh")}
"""What makes meshes. Operators in Python make them too, perhaps at the address of one that is gone."""


def _told(make: Callable[..., Any]) -> Callable[..., Any]:
    look = native.core().elements_look

    def told(*args: Any, **kwargs: Any) -> Any:
        made = make(*args, **kwargs)
        look(made)
        return made

    return told


@cache
def _of_bmesh() -> tuple[type, list[type], list[type], list[type]]:
    kinds = {name: one for name, one in vars(bmesh.types).items() if isinstance(one, type)}
    elements = [kinds[name] for name in ("BMVert", "BMEdge", "BMFace", "BMLoop")]
    parts = [one for name, one in kinds.items() if name.endswith("Seq") or name.startswith("BMLayer")]
    return kinds["BMesh"], parts, [kinds["BMElemSeq"]], elements


def _lists() -> list[type]:
    """The types of Blender's lists."""
    found: list[type] = []
    waiting: list[type] = [bpy.types.bpy_prop_collection]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += one.__subclasses__()
    return found


@cache
def _kinds() -> tuple[Any, ...]:
    mesh = bmesh.new()
    layer = mesh.verts.layers.skin.verify()
    views = [bmesh.types.BMLoopUV, bmesh.types.BMDeformVert, type(mesh.verts.new()[layer])]
    mesh.free()
    of_bmesh = [one for one in vars(bmesh.types).values() if isinstance(one, type)]
    properties = list(_property_types())
    math, own = list(MATH), of_bmesh + views[2:]
    pointing = bpy.types.bpy_struct, bpy.types.bpy_prop, bpy.types.ID
    return pointing, list(rna.untracked_types()), math, own, views, properties


def _property_types() -> tuple[type, type]:
    from idprop.types import IDPropertyArray, IDPropertyGroup

    return IDPropertyArray, IDPropertyGroup


def moves(kind: str, name: str) -> bool:
    """Whether a method of a type of Blender's may free or move some of its data."""
    if name == "new":
        return not kind.startswith("BlendData") and kind not in _IN_PLACE
    return name in METHODS


def sharing(function: Callable[..., Any], kind: str) -> Callable[..., Any]:
    """The method of a data-block that copies it: the copy shares its arrays."""
    touched = _touching(kind)

    def called(thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        touched(thing)
        with Watch(thing):
            return function(thing, *args, **kwargs)

    return called


WITH_ARRAYS = tuple(
    getattr(bpy.types, name)
    for name in ("Mesh", "Curves", "PointCloud", "GreasePencil", "GreasePencilv3")
    if hasattr(bpy.types, name)
)
"""Data-blocks whose copies share arrays with them."""


def watched(function: Callable[..., Any], kind: str, evaluates: bool = False) -> Callable[..., Any]:
    """A method of a type of Blender's, as a function of the object, that may free or move data. ``evaluates``:
    evaluated data too.
    """
    touched, only = _touching(kind), _OF_THEIR_OWN.get(kind)
    if kind == "VertexGroup":
        return _weighting(function)
    kind_of_watch = watches.Linking if kind == "NodeLinks" else Watch

    def called(thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        block = touched(thing)
        # The elements of other lists of this type stay where they are.
        root = None if only is None or block is None else getattr(thing, "data", None)
        with Evaluation(everything=True) if evaluates else kind_of_watch(block, only, root):
            return function(thing, *args, **kwargs)

    return called


def _weighting(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a vertex group that changes weights. The first weight of all makes a layer of the mesh."""
    touched = _touching("VertexGroup")

    def called(group: Any, /, *args: Any, **kwargs: Any) -> Any:
        data = touched(group)
        place = None if data is None else data.as_pointer()
        with Watch(data, "VertexGroupElement" if place in watches.weighted else None):
            found = function(group, *args, **kwargs)
        if place is not None:
            watches.weighted.add(place)
        return found

    return called


def checked(function: Callable[..., Any], kind: str) -> Callable[..., Any]:
    """A method that a guard keeps, as a function of the object, while that is there."""
    touched = _touching(kind)

    def called(thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        touched(thing)
        return function(thing, *args, **kwargs)

    return called


def growing(thing: Any, name: str, store: Callable[[], Any]) -> Any:
    """Sets what may make an attribute, which moves the others."""
    with Watch(_touched(thing)):
        done = store()
    native.core().references_grown(thing, name)
    return done


def grown(thing: Any, name: str) -> Any:
    """A list of a layer, which may make an attribute when it is first looked at."""
    with Watch(_touched(thing)):
        found = getattr(thing, name)
        if len(found):
            _ = found[0]
    return getattr(thing, name)


_OF_INTERFACES = (bpy.types.NodeTreeInterface, bpy.types.NodeTreeInterfaceItem)


@cache
def _touching(kind: str) -> Callable[[Any], Any]:
    """What gives the data-block that a method of an object of this type changes; None if it may change several. Raises
    if the object is gone.
    """
    described = getattr(bpy.types, kind, None)
    # The context looks its own members up in areas that may be gone, and nothing of it is freed.
    if kind == "Context":
        return lambda thing: None
    if kind == "VertexGroup":
        return _data_of
    # The sockets of all nodes that use the group follow its interface.
    of_several = (bpy.types.ID, *_OF_INTERFACES)
    if kind in _SEVERAL or described is not None and issubclass(described, of_several):
        return _present
    return _block_of


def _present(thing: Any) -> None:
    """Raises if an object of Blender's is gone; reading `id_data` does not."""
    _ = getattr(thing, "rna_type", None) if isinstance(thing, bpy.types.bpy_struct) else bool(thing)


def _data_of(group: Any) -> Any:
    """The data in which the weights of a vertex group are."""
    _present(group)
    return getattr(group.id_data, "data", None)


def _block_of(thing: Any) -> Any:
    """The data-block that something is in; raises if it is gone. None if its keyframes are in another, an action: they
    are inserted, and go with what they move.
    """
    _present(thing)
    block = getattr(thing, "id_data", None)
    moved = getattr(block, "animation_data", None)
    return None if moved is not None and (moved.action is not None or moved.nla_tracks) else block


def _touched(thing: Any) -> Any:
    """The data-block that setting something of this changes; None if it may change several. Raises if this is gone."""
    described = getattr(thing, "bl_rna", None)
    return _touching(described.identifier if described is not None else "")(thing)


def interface(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method, as a function of the object, that changes the interface of a tree."""

    def called(thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        with Interface():
            return function(thing, *args, **kwargs)

    return called


def evaluating(function: Callable[..., Any], kind: str) -> Callable[..., Any]:
    """A method of ``EVALUATING``, as a function of the object."""
    if kind not in EVALUATED:
        return watched(function, kind) if kind else function

    def called(thing: Any, /, *args: Any, **kwargs: Any) -> Any:
        with Evaluation():
            return watches.kept(function(thing, *args, **kwargs))

    return called


def storing(thing: Any) -> Watch:
    """While a property of ``STORED`` is set. What a node, a modifier, a constraint or a spline is set to concerns its
    own parts; the items of a zone or a menu decide about sockets elsewhere.
    """
    own = (bpy.types.Node, bpy.types.Modifier, bpy.types.Constraint, bpy.types.Spline)
    if isinstance(thing, _OF_INTERFACES):
        return Watch()
    return Watch(thing.id_data, root=thing if isinstance(thing, own) else None)
