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
    "normals_split_custom_set_from_vertices", "pack", "pair_with_output", "pop", "remove", "remove_curves",
    "remove_gpencil_data", "remove_strokes", "rename", "render", "reorder_curves", "reorder_strokes", "reset",
    "resize", "resize_curves", "resize_strokes", "scale", "separate", "set_sharp_from_angle", "set_types",
    "set_vertex_weights", "shade_flat", "shade_smooth", "shape_key_add", "sort", "split", "split_faces", "start",
    "swap", "unassign", "update_from_editmode", "validate", "validate_material_indices", "vertex_creases_ensure",
    "vertex_creases_remove", "vertex_group_assign", "vertex_group_remove", "vertex_indices_set",
    "vertex_paint_mask_ensure", "weight_set",
})  # fmt: skip
"""Methods of Blender's data that may free or move some of it; those of ``removals.METHODS`` do too."""
FREES_NOTHING = frozenset({
    "AxisRollFromMatrix", "MatrixFromAxisRoll", "active", "align_roll", "animation_data_create", "area", "asset_mark",
    "bbone_segment_matrix", "calc_length", "calc_matrix_camera", "calc_smooth_groups", "camera_fit_coords",
    "compute_bbone_handles", "contains_tree", "convert_local_to_pose", "convert_space",
    "copy", "count_selected_items", "cursor_set", "domain_size", "evaluate", "evaluate_envelope", "evaluated_get",
    "find", "find_armature", "find_by_name", "flip", "from_socket", "get", "get_frame_at", "get_output_node",
    "has_objects", "has_selected_objects", "hide_get", "hide_set", "holdout_get", "icon", "indirect_only_get",
    "is_deform_modified", "is_input_used", "is_input_visible", "is_modified", "label", "link", "local_view_get",
    "normals_split_get", "panel", "poll", "progress_begin", "progress_end", "progress_update", "range",
    "region_to_view", "row", "select_get", "select_set", "statistics", "tag", "tag_positions_changed", "tag_redraw",
    "to_string", "transform", "update_autoflags", "update_tag", "use_spherical_stereo", "user_of_id", "users",
    "view_frame", "view_to_region", "visible_get", "visible_in_viewport_get", "weight", "weight_get",
})  # fmt: skip
"""Methods that leave all data where it is: each of Blender's that a script may call is here or in the others."""
_IN_PLACE = frozenset({
    "Nodes", "NodeLinks", "ObjectModifiers", "ObjectConstraints", "PoseBoneConstraints", "CurveSplines", "VertexGroups",
    "ArmatureEditBones", "MetaBallElements", "ActionFCurves", "ActionChannelbagFCurves",
})  # fmt: skip
"""Lists whose ``new`` moves nothing: each part has memory of its own."""
_SEVERAL = frozenset({"IDMaterials", "CollectionChildren"})
"""Lists whose methods free or move parts of other data-blocks too: material slots, layer collections."""
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
    "phase", "fluid_type", "solver", "noise_dimensions", "active_texture", "auto_smoothing", "extrapolation",
})  # fmt: skip
"""Properties that decide which parts there are."""


EVALUATING = frozenset({
    "closest_point_on_mesh", "depsgraph", "evaluated_depsgraph_get", "frame_set", "ray_cast", "to_curve",
    "to_curve_clear", "to_mesh", "to_mesh_clear", "update",
})  # fmt: skip
"""Names of Blender's data with which it may evaluate, or free what it has evaluated."""
_EVALUATED = frozenset({"Context", "Depsgraph", "Object", "Scene", "ViewLayer"})
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


def moves(thing: Any, name: str) -> bool:
    """Whether a method of Blender's data may free or move some of it."""
    if name == "new":
        described = getattr(thing, "bl_rna", None)
        identifier = described.identifier if described is not None else ""
        return not identifier.startswith("BlendData") and identifier not in _IN_PLACE
    return name in METHODS


def sharing(function: Callable[..., Any], thing: Any) -> Callable[..., Any]:
    """The method of a data-block that copies it: the copy shares its arrays."""

    def called(*args: Any, **kwargs: Any) -> Any:
        _touched(thing)
        with Watch(thing):
            return function(*args, **kwargs)

    return called


WITH_ARRAYS = tuple(
    getattr(bpy.types, name)
    for name in ("Mesh", "Curves", "PointCloud", "GreasePencil", "GreasePencilv3")
    if hasattr(bpy.types, name)
)
"""Data-blocks whose copies share arrays with them."""


def watched(function: Callable[..., Any], thing: Any, evaluates: bool = False) -> Callable[..., Any]:
    """A method of ``thing`` that may free or move data of Blender. ``evaluates``: evaluated data too."""

    def called(*args: Any, **kwargs: Any) -> Any:
        touched = _touched(thing)
        with Evaluation(everything=True) if evaluates else Watch(touched, _only(thing)):
            return function(*args, **kwargs)

    return called


def checked(function: Callable[..., Any], thing: Any) -> Callable[..., Any]:
    """A method of ``thing`` that a guard keeps, while ``thing`` is there."""

    def called(*args: Any, **kwargs: Any) -> Any:
        _touched(thing)
        return function(*args, **kwargs)

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


def _touched(thing: Any) -> Any:
    """The data-block that a method of this changes; None if it may change several. Raises if this is gone."""
    # The context looks its own members up in areas that may be gone, and nothing of it is freed.
    if thing is None or isinstance(thing, bpy.types.Context):
        return None
    # Raises; reading `id_data` does not.
    _ = getattr(thing, "rna_type", None) if isinstance(thing, bpy.types.bpy_struct) else bool(thing)
    block = getattr(thing, "id_data", None)
    described = getattr(thing, "bl_rna", None)
    if isinstance(thing, bpy.types.VertexGroup | bpy.types.VertexGroups):
        return getattr(block, "data", None)
    # The sockets of all nodes that use the group follow its interface.
    if isinstance(thing, _OF_INTERFACES):
        return None
    several = isinstance(thing, bpy.types.ID) or described is not None and described.identifier in _SEVERAL
    return None if several else block


def _only(thing: Any) -> str | None:
    """The only type of what a method of this may free or move; None if there are several."""
    described = None if isinstance(thing, bpy.types.Context | None) else getattr(thing, "bl_rna", None)
    return _OF_THEIR_OWN.get(described.identifier) if described is not None else None


def interface(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that changes the interface of a tree."""

    def called(*args: Any, **kwargs: Any) -> Any:
        with Interface():
            return function(*args, **kwargs)

    return called


def evaluating(thing: Any, name: str, found: Any) -> Any:
    """A member of ``EVALUATING``, as a script has it."""
    described = getattr(thing, "bl_rna", None)
    if described is None or described.identifier not in _EVALUATED:
        return watched(found, thing) if callable(found) and described is not None else found
    if not callable(found):
        return watches.kept(found)

    def called(*args: Any, **kwargs: Any) -> Any:
        with Evaluation():
            return watches.kept(found(*args, **kwargs))

    return called


def storing(thing: Any) -> Watch:
    """While a property of ``STORED`` is set. What a node, a modifier, a constraint or a spline is set to concerns its
    own parts; the items of a zone or a menu decide about sockets elsewhere.
    """
    own = (bpy.types.Node, bpy.types.Modifier, bpy.types.Constraint, bpy.types.Spline)
    if isinstance(thing, _OF_INTERFACES):
        return Watch()
    return Watch(thing.id_data, root=thing if isinstance(thing, own) else None)
