# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the materials that a step describes; what an artist made is never changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy

from . import check_tree, rna, values
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
_OUTPUT = "ShaderNodeOutputMaterial"
# What of a material does not show, and what making one sets besides its shader.
_UNSEEN = frozenset({
    "use_nodes", "use_fake_user", "preview_render_type", "use_preview_world", "paint_active_slot", "paint_clone_slot",
    "node_tree", "animation_data",
})  # fmt: skip
_REFRACTION = ("use_raytrace_refraction", "use_screen_refraction")  # two names of one switch
_SHOWN_SOLID = frozenset({"diffuse_color", "roughness", "metallic", *_REFRACTION})


def ensure(edit: MaterialEdit) -> bool:
    """Makes the material; returns whether it is new. One that looks the same in everything is left as it is.

    Raises `duplicate_id` if a material of that name looks otherwise.
    """
    name = edit["name"]
    wanted = {field: values_of(edit[field]) for field in _INPUTS if field in edit}  # type: ignore[literal-required]
    present = bpy.data.materials.get((name, None))
    if present is not None:
        if not _holds(present, wanted):
            raise HostError(
                "duplicate_id",
                f'The file has a material "{name}" that looks otherwise, which is not changed: choose another name, or '
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
    """The values that an edit may set; empty if anything else of the material is not as in a new one, None if the file
    has no such material.
    """
    material = bpy.data.materials.get((name, None))
    if material is None:
        return None
    shader = _shader(material)
    if shader is None:
        return {}
    found = {field: values.to_json(shader.inputs[name].default_value) for field, name in _INPUTS.items()}
    return found if _shows_only(material, shader, found) else {}


def values_of(value: Any) -> Any:
    """A number, or a colour with its alpha."""
    return [*value, 1.0] if isinstance(value, list) and len(value) == 3 else value


def _shader(material: Any) -> Any:
    nodes = material.node_tree.nodes if material.node_tree is not None else ()
    return next((node for node in nodes if node.bl_idname == "ShaderNodeBsdfPrincipled"), None)


def _holds(material: Any, wanted: dict[str, Any]) -> bool:
    now = look(material.name)
    if not now:
        return False
    usual = _fresh().values
    return all(_near(now[field], wanted.get(field, usual[field])) for field in _INPUTS)


def _near(now: Any, wanted: Any) -> bool:
    pairs = zip(now, wanted, strict=True) if isinstance(wanted, list | tuple) else [(now, wanted)]
    return all(abs(a - b) <= _NEAR * max(1.0, abs(b)) for a, b in pairs)


@dataclass(frozen=True)
class _Fresh:
    """A new material."""

    fields: rna.Fields
    state: dict[str, Any]
    nodes: dict[str, dict[str, Any]]
    """By type of the node: its properties and the values of its inputs."""
    values: dict[str, Any]
    """Of the inputs that an edit may set, by field."""


_known: list[_Fresh] = []


def _fresh() -> _Fresh:
    if not _known:
        material: Any = bpy.data.materials.new(f"{rna.SCRATCH_NAME}_material")
        try:
            if material.node_tree is None:
                material.use_nodes = True
            fields = rna.fields_of(material, _UNSEEN)
            nodes = {node.bl_idname: _state_of_node(node) for node in material.node_tree.nodes}
            shader = _shader(material)
            usual = {field: values.to_json(shader.inputs[name].default_value) for field, name in _INPUTS.items()}
            _known.append(_Fresh(fields, _state(material, fields), nodes, usual))
        finally:
            bpy.data.materials.remove(material)
    return _known[0]


def _state(owner: Any, fields: rna.Fields) -> dict[str, Any]:
    return {
        **dict(zip(fields.plain, fields.read_plain(owner), strict=True)),
        **{path: fields.read_array(owner, path) for path in fields.arrays},
    }


_APPEARANCE = frozenset({"color", "use_custom_color", "hide", "show_options", "warning_propagation"})


def _state_of_node(node: Any) -> dict[str, Any]:
    found = _state(node, rna.fields_of(node, _APPEARANCE))
    return {**found, **{f"inputs.{one.identifier}": rna.raw_value(one) for one in node.inputs}}


def _shows_only(material: Any, shader: Any, looks: dict[str, Any]) -> bool:
    """Whether nothing but these values makes it look other than a new material does."""
    fresh = _fresh()
    tree = material.node_tree
    outputs = [node for node in tree.nodes if node.bl_idname == _OUTPUT]
    links = [(link.from_node, link.to_node, link.to_socket.identifier, link.is_muted) for link in tree.links]
    if len(outputs) != 1 or links != [(shader, outputs[0], "Surface", False)]:
        return False
    if any(owner.animation_data is not None for owner in (material, tree)):
        return False
    set_by_edit = {f"inputs.{shader.inputs[name].identifier}" for name in _INPUTS.values()}
    for node in (shader, outputs[0]):
        now, usual = _state_of_node(node), fresh.nodes[node.bl_idname]
        if any(now[name] != usual.get(name) for name in now if name not in set_by_edit):
            return False
    made = {
        "diffuse_color": (*looks["base_color"][:3], looks["alpha"]),
        "roughness": looks["roughness"],
        "metallic": looks["metallic"],
        **dict.fromkeys(_REFRACTION, looks["transmission"] > 0),
    }
    now = _state(material, fresh.fields)
    return all(
        value == fresh.state[name] or name in _SHOWN_SOLID and _near(value, made[name]) for name, value in now.items()
    )
