# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the materials that a step describes; what an artist made is never changed."""

from __future__ import annotations

from typing import Any

import bpy

from . import check_tree, values
from .documents import MaterialEdit
from .errors import HostError

# Fields of an edit and the inputs of a Principled BSDF that they set.
_INPUTS = {
    "base_color": "Base Color",
    "roughness": "Roughness",
    "metallic": "Metallic",
    "transmission": "Transmission Weight",
    "alpha": "Alpha",
    "emission_color": "Emission Color",
    "emission_strength": "Emission Strength",
}
# Blender stores single precision.
_NEAR = 1e-5


def ensure(edit: MaterialEdit) -> bool:
    """Makes the material; returns whether it is new. One that has these values already is left as it is.

    Raises `duplicate_id` if a material of that name has other values, or no Principled BSDF.
    """
    name = edit["name"]
    wanted = {field: values_of(edit[field]) for field in _INPUTS if field in edit}  # type: ignore[literal-required]
    present = bpy.data.materials.get((name, None))
    if present is not None:
        if not _holds(present, wanted):
            raise HostError(
                "duplicate_id",
                f'The file has a material "{name}" with other values, which is not changed: choose another name, or '
                f'use it as it is, data.material("{name}").',
            )
        return False
    check_tree.check_name("material", name, check_tree.tree_name_bytes())
    material = bpy.data.materials.new(name)
    if material.node_tree is None:
        material.use_nodes = True
    shader = _shader(material)
    if shader is None:
        bpy.data.materials.remove(material)
        raise HostError("internal_error", "Blender made a material without a Principled BSDF.")
    for field, value in wanted.items():
        values.assign(shader.inputs[_INPUTS[field]], "default_value", value)
    # What solid shading shows.
    if "base_color" in wanted or "alpha" in wanted:
        color: Any = wanted.get("base_color", values.to_json(material.diffuse_color))
        shown: Any = [*color[:3], wanted.get("alpha", color[3])]
        material.diffuse_color = shown
    for field in ("roughness", "metallic"):
        if field in wanted:
            setattr(material, field, wanted[field])
    # Without it EEVEE shows glass as a dark mirror.
    if wanted.get("transmission"):
        material.use_raytrace_refraction = True
    return True


def look(name: str) -> dict[str, Any] | None:
    """The values that an edit may set, without those that a link feeds; empty if the material has no Principled BSDF,
    None if the file has no such material.
    """
    material = bpy.data.materials.get((name, None))
    shader = _shader(material) if material is not None else None
    if shader is None:
        return None if material is None else {}
    sockets = {field: shader.inputs[name] for field, name in _INPUTS.items()}
    return {field: values.to_json(one.default_value) for field, one in sockets.items() if not one.is_linked}


def values_of(value: Any) -> Any:
    """A number, or a colour with its alpha."""
    return [*value, 1.0] if isinstance(value, list) and len(value) == 3 else value


def _shader(material: Any) -> Any:
    nodes = material.node_tree.nodes if material.node_tree is not None else ()
    return next((node for node in nodes if node.bl_idname == "ShaderNodeBsdfPrincipled"), None)


def _holds(material: Any, wanted: dict[str, Any]) -> bool:
    shader = _shader(material)
    if shader is None:
        return False
    for field, value in wanted.items():
        socket = shader.inputs[_INPUTS[field]]
        now = values.to_json(socket.default_value)
        pairs = zip(now, value, strict=True) if isinstance(value, list) else [(now, value)]
        if socket.is_linked or any(abs(a - b) > _NEAR * max(1.0, abs(b)) for a, b in pairs):
            return False
    return True
