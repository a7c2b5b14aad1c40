# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules that a script imports: they contain the listed members and nothing else."""

from __future__ import annotations

import contextlib
import functools
import importlib
import math
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import bmesh
import bpy

from .. import native
from ..host import operators
from . import (
    costs,
    expected,
    guards,
    library,
    mesh_removals,
    policy,
    printing,
    quiet,
    removals,
    repeats,
    sizes,
    stacks,
    watches,
    with_blocks,
)
from .errors import Guarded
from .membrane import MEMBERS, Membrane
from .output import Output, Stream
from .recorder import Recorder

CORNERS = 1e8
"""The most corners, each times those of its face, that triangulating may take: its time is their square."""
MERGED = 400_000
"""The most elements, each times the steps of a spin, that are merged while it is made."""
STEPS = 2_000
"""The most steps of a spin, of which each looks at all that the former have made."""
LARGEST_ROUND = 10_000
"""The most corners of a cylinder's or cone's end: this many take three seconds, twice as many four times as long."""
LARGEST_SPHERE = 2**16
"""The most faces of a UV sphere: this many take three seconds, twice as many four times as long."""


class Importer:
    """``__import__`` of one script; the modules that it returns are created for this script."""

    def __init__(
        self, attributes: guards.Attributes, output: Output, membrane: Membrane, recorder: Recorder | None = None
    ) -> None:
        self._membrane = membrane
        self._recorder = recorder
        self._own = {**with_blocks.MODULES, **quiet.MODULES, **printing.modules(output)}
        # Where Blender was started is not the script's business; without arguments it takes its defaults.
        self._own["sys"] = {**self._own.get("sys", {}), "argv": ["blender"]}
        self._own["operator"] = {"attrgetter": attributes.attrgetter, "methodcaller": attributes.methodcaller}
        for module, name in (("dataclasses", "dataclass"), ("collections", "namedtuple")):
            self._own[module] = {name: membrane.adopting(getattr(importlib.import_module(module), name))}
        for module, name in (("enum", "unique"), ("functools", "total_ordering"), ("typing", "final")):
            self._own[module] = {name: membrane.only_own(getattr(importlib.import_module(module), name))}
        self._made: dict[str, ModuleType] = {}
        self._policy = policy.policy()

    def __call__(
        self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> ModuleType:
        """As Python's own, for listed modules; raises ``ImportError`` for all others."""
        if type(fromlist) is list:
            # `PyImport_Import`: a C library imports a part of itself and reads it from `sys.modules`. Python's own
            # code always has a tuple here, and a script cannot name this function, so it gets nothing of this.
            return importlib.import_module(name)
        if level or name not in self._policy.modules:
            raise ImportError(f"The module {name} is not allowed in safe mode.")
        module = self._module(name)
        if fromlist:
            for member in fromlist:
                if f"{name}.{member}" in self._policy.modules:
                    self._module(f"{name}.{member}")
            return module
        first, _, rest = name.partition(".")
        # `import a.b` binds a, which contains b.
        return self._module(first) if rest else module

    def _module(self, name: str) -> ModuleType:
        if name in self._made:
            return self._made[name]
        if name == "__future__":
            return importlib.import_module(name)
        made: Any = ModuleType(name)
        self._membrane.admit(made)
        self._made[name] = made
        if name == "bpy.ops":
            return self._keep(name, Operators(self._policy.operators, self._recorder))
        if name == "bpy.types":
            return self._keep(name, Types(self._policy.modules[name]))
        plain, inner = contents(name) if name.partition(".")[0] != "bpy" else _read(name)
        vars(made).update(plain)
        vars(made).update(self._own.get(name, {}))
        if name in _DELETING:
            vars(made).update({one: around(vars(made)[one]) for one, around in _DELETING[name].items()})
        if self._recorder is not None:
            vars(made).update(self._recorder.functions(name, vars(made)))
        for full in inner:
            with contextlib.suppress(ImportError):
                setattr(made, full.rpartition(".")[2], self._module(full))
        if name != "bmesh.types":
            self._membrane.give(vars(made).values())
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(self._module(parent), last, made)
        return made

    def _keep(self, name: str, made: Any) -> Any:
        self._made[name] = made
        return made


_DELETING: dict[str, dict[str, Callable[[Any], Any]]] = {
    "bmesh": {"from_edit_mesh": mesh_removals.from_edit_mesh},
    "bmesh.ops": {
        "bisect_plane": mesh_removals.bisecting,
        "delete": mesh_removals.deleting,
        **dict.fromkeys(
            (
                "collapse",
                "dissolve_edges",
                "dissolve_faces",
                "dissolve_limit",
                "dissolve_verts",
                "pointmerge",
                "unsubdivide",
                "weld_verts",
            ),
            mesh_removals.joining,
        ),
        "dissolve_degenerate": mesh_removals.merging,
        "remove_doubles": mesh_removals.merging,
    },
}
"""Functions that may take elements from a mesh that was there."""


def _read(name: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The content of a module for scripts: its members, and the full names of the modules in it."""
    listed = policy.policy().modules
    real, replaced = _real(name), _replaced(name)
    plain: dict[str, Any] = {}
    inner = []
    for member in listed[name]:
        if f"{name}.{member}" in listed:
            inner.append(f"{name}.{member}")
        elif member in replaced:
            plain[member] = replaced[member]
        elif _has(real, member):
            value = getattr(real, member)
            if callable(value) and name.partition(".")[0] not in _OF_BLENDER and costs.cost(name, member) is None:
                continue
            plain[member] = _bounded(value, member) if name == "bmesh.ops" else value
    if name.partition(".")[0] in _HOLDING:
        plain.update({one: _enclosed(name, one, value) for one, value in plain.items()})
    return plain, tuple(inner)


def _enclosed(module: str, name: str, value: Any) -> Any:
    """A function of a module that must not be called back while it works."""
    if not callable(value) or isinstance(value, type) or type(value).__name__ == "ufunc":
        return value  # what makes objects, and operations on arrays, are enclosed where they are called
    if costs.cost(module, name) == costs.STOPPABLE or name in _CALLING:
        return value
    return native.core().enclosed_function(value, name)


_HOLDING = frozenset({"bmesh", "mathutils", "numpy", "bl_math", "bpy_extras"})
"""Modules whose functions hold what they were given while they work."""
_CALLING = frozenset({"fromfunction", "array2string"})
"""Functions that are given functions of the script."""


_OF_BLENDER = frozenset({"bpy", "bmesh", "bpy_extras"})
"""Modules whose functions are limited by what they make (``sizes``), not by a list of costs."""
contents = functools.cache(_read)
"""Cached contents, shared by all scripts, of modules that do not depend on Blender's state."""


def _has(module: Any, member: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy warns about planned changes
        return hasattr(module, member)


def _replaced(name: str) -> dict[str, Any]:
    """Members of a module that are replaced by limited ones."""
    if name.partition(".")[0] == "numpy":
        from . import numeric  # numpy takes long to load, and few scripts use it

        return numeric.REPLACED.get(name, {})
    return library.REPLACED.get(name, {})


def _real(name: str) -> Any:
    """The module or, for `bpy.app` and similar ones, the object of that name."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        parent, _, last = name.rpartition(".")
        if not parent:
            raise
        found = getattr(_real(parent), last, None)
        if found is None:
            raise
        return found


def _bounded(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """An operator on a BMesh, limited by what its arguments make."""

    def called(*args: Any, **kwargs: Any) -> Any:
        _check_arguments(kwargs)
        if args and "cuts" in kwargs:
            cuts = sizes.as_number(kwargs["cuts"])
            # The first cuts faces into faces as well, all of them edges into edges.
            whole = len(args[0].faces) * (cuts + 1) ** 2 if name == "subdivide_edges" else 0
            lines = len(kwargs.get("edges", ())) * (cuts + 1)
            made = max(whole, lines if name == "subdivide_edges" else 4 * lines)
            if made > policy.policy().items / 5:
                raise Guarded(f"This would make about {made:,} elements, which would freeze Blender.")
        if name == "dissolve_limit":
            repeats.check_dissolve(name, kwargs)
        if name == "convex_hull":
            check_places(kwargs.get("input", ()))
        if name.startswith("triangulate") or "ngon_method" in kwargs:
            squares = sum(len(face.verts) ** 2 for face in kwargs.get("faces", ()))
            if squares > CORNERS:
                raise Guarded("Faces with so many corners would take too long to triangulate.")
        if name == "spin" and sizes.as_number(kwargs.get("steps", 0)) > STEPS:
            raise Guarded(f"spin() of {kwargs['steps']:,} steps would freeze Blender; use at most {STEPS:,}.")
        if kwargs.get("use_merge") and len(kwargs.get("geom", ())) * sizes.as_number(kwargs.get("steps", 1)) > MERGED:
            raise Guarded("So many steps that are merged would freeze Blender; merge the doubles afterwards.")
        factor = max(kwargs.get("steps", 1), kwargs.get("segments", 1) ** 2 / 4 if "offset" in kwargs else 1)
        if len(kwargs.get("geom", ())) * factor > policy.policy().items:
            raise Guarded(f"So many steps or segments of {len(kwargs['geom']):,} elements would freeze Blender.")
        return function(*args, **kwargs)

    called.__name__ = called.__qualname__ = name
    return called


def check_places(elements: Any) -> None:
    """Raises for vertices of a BMesh that are nowhere: Blender's hull of these crashes."""
    for one in elements:
        if isinstance(one, bmesh.types.BMVert) and not all(math.isfinite(side) for side in one.co[:]):
            raise Guarded("A vertex has a coordinate that is not a number; Blender would crash.")


def _check_arguments(kwargs: dict[str, Any]) -> None:
    size = 1.0
    for name, value in kwargs.items():
        sizes.bounded(name, value)
        if name in _MULTIPLIED:
            size *= max(sizes.as_number(value), 1)
    if sizes.as_number(kwargs.get("vertices")) > LARGEST_ROUND:
        raise Guarded(f"A face of {kwargs['vertices']:,} corners would freeze Blender; use at most {LARGEST_ROUND:,}.")
    # Blender searches all faces of a sphere for its poles, once for each face.
    if size > (LARGEST_SPHERE if not _ROUND.isdisjoint(kwargs) else policy.policy().items / 5):
        raise Guarded(f"These arguments would make about {size:,.0f} elements; use smaller ones.")


_ROUND = frozenset({"ring_count", "u_segments"})
_MULTIPLIED = frozenset({
    "x_subdivisions", "y_subdivisions", "x_segments", "y_segments", "u_segments", "v_segments", "segments",
    "ring_count", "major_segments", "minor_segments",
})  # fmt: skip
# Operators that multiply the elements of what is selected, with the factor for faces.
_GROWING: dict[str, Callable[[dict[str, Any]], float]] = {
    "mesh.subdivide": lambda given: (given.get("number_cuts", 1) + 1) ** 2,
    "object.subdivision_set": lambda given: 4 ** max(given.get("level", 1), 0),
    "object.multires_subdivide": lambda given: 4,
    "mesh.unsubdivide": lambda given: 1,
    "mesh.subdivide_edgering": lambda given: given.get("number_cuts", 10) + 1,
    "mesh.bridge_edge_loops": lambda given: given.get("number_cuts", 0) + 2,
    "mesh.loopcut": lambda given: given.get("number_cuts", 1) + 1,
    "mesh.extrude_repeat": lambda given: given.get("steps", 10) + 1,
    "mesh.face_make_planar": lambda given: 1 + given.get("repeat", 1) / 10,
    "curve.subdivide": lambda given: (given.get("number_cuts", 1) + 1) ** 2,
    "curves.subdivide": lambda given: (given.get("number_cuts", 1) + 1) ** 2,
    "armature.subdivide": lambda given: (given.get("number_cuts", 1) + 1) ** 2,
    "curve.duplicate": lambda given: 2,
    "curves.duplicate": lambda given: 2,
    "sculpt.face_set_extract": lambda given: 2 + given.get("smooth_iterations", 4) / 10,
    "sculpt.paint_mask_extract": lambda given: 2 + given.get("smooth_iterations", 4) / 10,
    "mesh.bevel": lambda given: 2 + given.get("segments", 1) ** 2 / 4,
    "mesh.spin": lambda given: given.get("steps", 12),
    "mesh.screw": lambda given: given.get("steps", 9) * given.get("turns", 1),
    "mesh.vertices_smooth_laplacian": lambda given: given.get("repeat", 1),
    "object.duplicate": lambda given: 2,
    "mesh.duplicate": lambda given: 2,
    "object.join": lambda given: 1,
    "mesh.poke": lambda given: 12,
    "mesh.decimate": lambda given: 8,
    "mesh.intersect": lambda given: 200,
    "mesh.intersect_boolean": lambda given: 200,
    "uv.minimize_stretch": lambda given: given.get("iterations", 100) / 4,
}
BONE = 100
"""How much more a bone takes than an element of a mesh."""
UNCOUNTED = 100
"""The elements of an object whose elements nobody counts."""
LONGEST_PATH = 5_000
"""The most frames that Blender may walk through for motion paths."""


class Types:
    """``bpy.types`` with the listed types, looked up one by one, since Blender creates each on first access."""

    __slots__ = ("__allowed__",)

    def __init__(self, allowed: frozenset[str]) -> None:
        self.__allowed__ = allowed

    def __getattr__(self, name: str) -> type:
        if name not in self.__allowed__:
            raise AttributeError(f"bpy.types.{name} is not allowed in safe mode.")
        return getattr(bpy.types, name)


class Operators:
    """``bpy.ops`` with the listed operators."""

    __slots__ = ("__allowed__", "__recorder__")

    def __init__(self, allowed: frozenset[str], recorder: Recorder | None = None) -> None:
        self.__allowed__ = allowed
        self.__recorder__ = recorder

    def __getattr__(self, group: str) -> _Group:
        return _Group(self.__allowed__, group, self.__recorder__)


class _Group:
    __slots__ = ("__allowed__", "__group__", "__recorder__")

    def __init__(self, allowed: frozenset[str], group: str, recorder: Recorder | None) -> None:
        self.__allowed__ = allowed
        self.__group__ = group
        self.__recorder__ = recorder

    def __getattr__(self, name: str) -> _Operator:
        full = f"{self.__group__}.{name}"
        if full not in self.__allowed__:
            raise AttributeError(f"bpy.ops.{full} is not allowed in safe mode.")
        real = operators.named(full)
        return _Operator(full, real if self.__recorder__ is None else self.__recorder__.operator(full, real))


class _Operator:
    # No script can use names like these, not even for its own attributes.
    __slots__ = ("__consented__", "__name__", "__real__")

    def __init__(self, name: str, real: Any, consented: bool = False) -> None:
        self.__name__ = name
        self.__real__ = real
        self.__consented__ = consented

    def __asked__(self) -> _Operator:
        """The same for a place that the artist was asked about."""
        return _Operator(self.__name__, self.__real__, consented=True)

    def poll(self, *args: Any) -> bool:
        """Whether the operator can be called here."""
        return self.__real__.poll(*args)

    def __call__(self, *args: Any, **kwargs: Any) -> set[str]:
        """Calls the operator within limits. It never waits for the artist and never makes its own undo step."""
        _check_operator(self.__name__, kwargs)
        if ".paths_" in self.__name__:
            _check_frames()
        if self.__name__ == "object.voxel_remesh":
            _check_voxels(bpy.context.active_object)
        contexts = [one for one in args if isinstance(one, str) and one.startswith("EXEC_")]
        if len(contexts) != len([one for one in args if not isinstance(one, bool)]):
            raise Guarded(f"bpy.ops.{self.__name__} cannot wait for the artist; pass its properties by keyword.")
        call = functools.partial(native.core().call_enclosed, self.__real__, *contexts, **kwargs)
        with watches.Evaluation(everything=True):
            result = removals.operator(self.__name__, self.__consented__, kwargs, call)
        if self.__name__ == "object.modifier_add":
            changed: Any = bpy.context.active_object
            for added in changed.modifiers[-1:]:
                stacks.check(added)
        return result


CRASHING = {
    "uv.stitch": "without an image editor it crashes Blender, with counts of its own it writes beyond its memory"
}
"""Operators that nothing can be called with safely."""


def _check_operator(name: str, given: dict[str, Any]) -> None:
    """Raises for values that are evaluated, or that multiply the work beyond what Blender can do; those of the
    operators in a macro stand in dictionaries.
    """
    if name in CRASHING:
        raise Guarded(f"bpy.ops.{name} is not allowed in safe mode: {CRASHING[name]}.")
    if "settings" in given:
        raise Guarded(f"bpy.ops.{name} evaluates its settings as code: set the new node's properties.")
    _check_arguments(given)
    sizes.node_type(*given.values())
    if name.startswith(("object.", "nla.", "anim.")):
        expected.check()
    growth = _GROWING.get(name)
    factor = repeats.factor(name, given)
    if growth is not None or factor > 1:
        _check_growth(name, factor if growth is None else growth(given))
    if name == "mesh.dissolve_limited":
        repeats.check_dissolve(name, given)
    if name == "mesh.convex_hull":
        for mesh in repeats.edited():
            check_places(mesh.verts)
    for part, values in given.items():
        if isinstance(values, dict):
            group, _, inner = part.partition("_OT_")
            _check_operator(f"{group.lower()}.{inner}", values)


def _check_frames() -> None:
    scene: Any = bpy.context.scene
    frames = scene.frame_end - scene.frame_start
    for obj in bpy.context.selected_objects or ():
        path: Any = obj.animation_visualization.motion_path
        frames = max(frames, path.frame_end - path.frame_start)
    if frames > LONGEST_PATH:
        raise Guarded(f"Motion paths over {frames:,} frames would freeze Blender; use at most {LONGEST_PATH:,}.")


def _check_voxels(obj: Any) -> None:
    size = getattr(getattr(obj, "data", None), "remesh_voxel_size", None)
    if size is not None and stacks.voxels(max(obj.dimensions), size) > policy.policy().items / 5:
        raise Guarded(f"Voxels of {size} m would give {obj.name!r} far too many faces; use larger voxels.")


def _check_growth(name: str, factor: float) -> None:
    objects: set[Any] = {*(bpy.context.selected_objects or ()), bpy.context.active_object} - {None}
    made = 0.0
    for obj in objects:
        if obj.mode == "EDIT":
            obj.update_from_editmode()
        if obj.type == "MESH":
            mesh = obj.data
            # Edges and vertices of faces go without saying: a face has as many corners as edges.
            loose = max(len(mesh.edges), len(mesh.vertices)) - len(mesh.loops)
            made += len(mesh.polygons) * factor + max(loose, 0) * _along(name, factor)
        elif obj.type in ("CURVE", "SURFACE"):
            each = factor if obj.type == "SURFACE" else _along(name, factor)
            made += sum(len(one.points) + len(one.bezier_points) for one in obj.data.splines) * each
        elif obj.type == "ARMATURE":
            made += len(obj.data.edit_bones) * _along(name, factor) * BONE
        elif obj.type in ("CURVES", "POINTCLOUD"):
            made += len(obj.data.points) * _along(name, factor)
        else:
            made += UNCOUNTED * factor
    if made > policy.policy().items / 2:
        raise Guarded(f"bpy.ops.{name} would make about {made:,.0f} elements, which would freeze Blender.")


def _along(name: str, factor: float) -> float:
    """The factor for edges and points: what cuts a face in both directions cuts these in one."""
    return math.sqrt(factor) if name.endswith(("subdivide", "subdivision_set")) else factor


MEMBERS[Operators] = MEMBERS[_Group] = MEMBERS[Types] = frozenset({"*"})  # these look at the names themselves
MEMBERS[_Operator] = frozenset({"poll"})
MEMBERS[printing.Logger] = printing.LOGGER_MEMBERS
MEMBERS[Stream] = frozenset()
MEMBERS[with_blocks.ExitStack] = frozenset({"callback", "close", "enter_context"})
